/**
 * What the words of an error mean: tables, and nothing that runs.
 *
 * A row says: under these statuses, with this code and this sentence, the class is that. The first row that fits wins, in
 * the order `CERTAIN`, the provider's own rows, `GENERIC`; if none fits the status decides. A word goes into a
 * provider's own rows when another provider means something else by it (`insufficient_quota`, `resource-exhausted`,
 * bare numbers). Codes are stable and go before sentences; sentences are tried only under statuses where they cannot be
 * a quotation of the caller's own text.
 */
import type { AnswerClass, Scope } from './answer.js';

/** Groups of statuses, as bits. `NONE`: an error inside a 2xx, or one without a status. */
export const STATUS = {
  CLIENT: 1, // 4xx but those below
  LIMITED: 2, // 429
  SERVER: 4, // 5xx but those below
  NONE: 8,
  CAPACITY: 16, // 503, 529
  TOO_LARGE: 32, // 413: may be temporary, and Groq sends it with a rate code
  PAYMENT: 64, // 402
} as const;

const ANY = 127;
const { CLIENT, LIMITED, SERVER, NONE, PAYMENT, TOO_LARGE } = STATUS;

/** 0 stands for "whatever it says". Both are read in lower case. */
export type Rule = readonly [statuses: number, code: RegExp | 0, text: RegExp | 0, verdict: AnswerClass, scope?: Scope];

/** A provider's own ways. */
export interface ProviderRules {
  readonly name: RegExp;
  readonly rows: readonly Rule[];
  /** Minutes east of Greenwich of the instants in its sentences, which name no zone. */
  readonly zoneMinutes?: number;
  /** Its reset header is the suggested wait, whatever remains. */
  readonly resetIsWait?: true;
  /** A limit header of 0 says that the model is not in the plan. */
  readonly zeroLimitIsNoAccess?: true;
  /** Beside an exhausted daily quota it still suggests a wait of seconds. */
  readonly shortWaitMisleads?: true;
  /** It holds a request open with blank lines while it queues. */
  readonly holdsOpen?: true;
  /** The member that each of its JSON answers has; without it the model was not ready. */
  readonly required?: string;
  /** What it can still refuse once a stream has opened: requests are counted at the head. */
  readonly streamScope?: Scope;
}

/** A whole code. Codes stand in one lower-cased string, each with a space on both sides. */
const code = (alternatives: string): RegExp => new RegExp(` (?:${alternatives}) `);

const TEXT_PAYMENT =
  /spend(?:ing)? (?:limit|cap)|credit balance|(?:insufficient|\bno|out of|all available|purchase) (?:more |prepaid |account )?(?:credit|balance|fund)|in arrears|budget has been|余额不足|欠费/;

/** What can mean one thing only, whoever says it. */
export const CERTAIN: readonly Rule[] = [
  [
    LIMITED | NONE,
    0,
    /\blimit(?::| |: )0\b(?![.,]?\d| \w* ?(?:remain|left))|\(actual\/limit\): \d+\/0\b/,
    'quota_exhausted',
  ],
  [ANY, / request_too_large /, 0, 'request_too_large'],
  [ANY, 0, /request too large|limit:? [\d,]+, requested/, 'request_too_large'],
  // OpenRouter's 402 that a finished request repairs.
  [PAYMENT | NONE, 0, /in-flight/, 'throttle', 'concurrency'],
  [ANY, /in_flight_budget/, 0, 'throttle', 'concurrency'],
  [ANY, /modelnotready|conflictexception/, 0, 'transient'],
  [ANY, 0, /loading model|model is (?:currently )?(?:loading|not ready|warming)/, 'transient'],
  [CLIENT, 0, /unexpected end of (?:data|input)/, 'transient'],
  [ANY, 0, /error(?: code:?)? 1015\b/, 'throttle'],
  [CLIENT | LIMITED | PAYMENT | NONE, 0, TEXT_PAYMENT, 'quota_exhausted'],
];

export const GENERIC: readonly Rule[] = [
  [
    ANY,
    / quota_ex|insufficient_\w*(?:quota|bal|fund)|billing_|credit|(?:usage|spend)_limit|current_quota|budget_ex|arrear|servicequota|free_?tier|key_limit/,
    0,
    'quota_exhausted',
  ],
  [ANY, /context_(?:length|window|size)/, 0, 'context_length'],
  [ANY, /content_(?:filter|policy)|responsibleai|inspection_?failed/, 0, 'content_policy'],
  [ANY, /overloaded| queue_ex|capacity_ex|reduced-cap| unavailable|service_?unavailable| (?:503|529) /, 0, 'overload'],
  [ANY & ~TOO_LARGE, / slow_down /, 0, 'throttle', 'ramp'],
  [
    ANY & ~TOO_LARGE,
    / (?:rate_?limit|too_?many_?requests|throttl|limit_req|requestlimit|dynamic_|(?:token|request)_quota|quota-ex)/,
    0,
    'throttle',
  ],
  // These only repeat a 429, which its sentence may yet explain; and a 503 with them is short of capacity.
  [CLIENT | SERVER | NONE, / (?:429|resource[-_]exhausted) /, 0, 'throttle'],
  [
    CLIENT | NONE,
    /api_key|authentication_| permission_| unauth|accessdenied|unrecognizedclient|expiredtoken/,
    0,
    'auth',
  ],
  [
    CLIENT | SERVER | NONE | TOO_LARGE,
    0,
    /context (?:length|window|size|limit)|(?:prompt|input)(?: \([^)]*\))? is too long|prompt too long|maximum prompt length|input token count|reduce the length of|range of input length|model token limit|`inputs` tokens/,
    'context_length',
  ],
  [
    CLIENT | NONE,
    0,
    /content[ _](?:management )?(?:policy|filter)|safety (?:system|filter)|unsafe|sensitive (?:content|words|info)|inappropriate content|flagged|usage policies|敏感|违规/,
    'content_policy',
  ],
  [LIMITED | NONE, 0, /per[-_ ]?(?:min|sec)|\b[rt]p[ms]\b/, 'throttle'],
  [
    LIMITED | SERVER | NONE,
    0,
    /overload|high (?:demand|traffic)|temporarily unable|(?:at|no|over|insufficient) capacity|capacity (?:is )?ex|queue is full|too many queued|server (?:is )?busy|too busy|heavy (?:load|access|traffic)|负载|繁忙/,
    'overload',
  ],
  [
    CLIENT | LIMITED | NONE,
    0,
    /(?:usage|monthly|weekly|session|daily|plan) (?:\w+ )?(?:limit|quota)|exceeded your (?:\w+ )*quota|quota (?:is |has been )?ex|free (?:tier|usage|quota)|account balance|recharge|额度/,
    'quota_exhausted',
  ],
  [
    CLIENT | SERVER | NONE,
    0,
    /rate limit(?:ed)? (?:is |was |has been )?(?:reached|exceeded)|(?:exceed\w*|reached|hit) .{0,40}rate limit|too many (?:concurrent )?requests|throttled|限频|限流|频率/,
    'throttle',
  ],
  [CLIENT, 0, /api key (?:is )?(?:not valid|invalid|expired)|(?:invalid|incorrect) api key/, 'auth'],
  [NONE, / (?:invalid_|validation|bad_?request|(?:model_)?not_?found|unsupported_)/, 0, 'bad_request'],
];

/** The first whose name fits. */
export const PROVIDERS: readonly ProviderRules[] = [
  {
    name: /zhipu|bigmodel|^z[.-]?ai|glm/,
    zoneMinutes: 480,
    rows: [
      [ANY, code('1304'), 0, 'quota_exhausted', 'requests_day'],
      [ANY, code('1113|1308|1309|131[0136-9]|132[01]'), 0, 'quota_exhausted'],
      [ANY, code('1302'), 0, 'throttle', 'concurrency'],
      [ANY, code('1303'), 0, 'throttle', 'requests'],
      [ANY, code('1305|1312'), 0, 'overload'],
      [ANY, code('123[04]'), 0, 'transient'],
      [ANY, code('1261'), 0, 'context_length'],
      [ANY, code('130[01]'), 0, 'content_policy'],
      [ANY, code('100[0-4]|111[0-2]|1220'), 0, 'auth'],
    ],
  },
  {
    name: /minimax/,
    rows: [
      [ANY, code('1039'), 0, 'throttle', 'tokens'],
      [ANY, code('1002'), /token|tpm/, 'throttle', 'tokens'],
      [ANY, code('1002'), 0, 'throttle', 'requests'],
      [ANY, code('2045'), 0, 'throttle', 'ramp'],
      [ANY, code('1008|2056'), 0, 'quota_exhausted'],
      [ANY, code('1004'), 0, 'auth'],
      [ANY, code('102[67]'), 0, 'content_policy'],
      [ANY, code('2013'), 0, 'bad_request'],
    ],
  },
  {
    // Its `insufficient_quota` is the tokens of this minute.
    name: /dashscope|alibaba|aliyun|bailian|qwen/,
    rows: [[ANY, code('insufficient_quota|throttling.allocationquota'), 0, 'throttle', 'tokens']],
  },
  {
    // One code for a rate, for money and for no access at all.
    name: /^x\.?ai|grok/,
    rows: [[LIMITED | NONE, 0, /credit|quota|purchase/, 'quota_exhausted']],
  },
  {
    // Its sentence about a minute's quota speaks of plan and billing; the quota's name tells.
    name: /gemini|google|vertex/,
    shortWaitMisleads: true,
    rows: [
      [ANY, /model_capacity/, 0, 'overload'],
      [LIMITED | NONE, 0, /per[-_ ]?day|daily/, 'quota_exhausted'],
      // Vertex's shared pool, not the project's quota.
      [LIMITED | NONE, 0, /^ resource exhausted, please/, 'overload'],
      [LIMITED | NONE, / resource_exhausted /, 0, 'throttle'],
    ],
  },
  { name: /bedrock|amazon|^aws/, rows: [[LIMITED | NONE, 0, /per day/, 'quota_exhausted', 'tokens_day']] },
  { name: /mistral/, zeroLimitIsNoAccess: true, rows: [[ANY, code('3505'), 0, 'overload']] },
  { name: /moonshot|kimi/, rows: [[LIMITED | NONE, 0, /\btpd\b|per day/, 'quota_exhausted', 'tokens_day']] },
  {
    name: /fireworks/,
    rows: [[LIMITED | NONE, / rate_limit/, /^(?!.*(?:requests?\b|rpm))/, 'throttle', 'tokens']],
  },
  {
    name: /openrouter/,
    required: 'choices',
    rows: [[ANY, /free_tier_daily/, 0, 'quota_exhausted', 'requests_day']],
  },
  { name: /together/, resetIsWait: true, rows: [] },
  { name: /deepseek/, holdsOpen: true, rows: [] },
  { name: /^openai(?!-comp)/, streamScope: 'tokens', rows: [] },
  { name: /tgi|text-generation|hugging/, rows: [[ANY, code('overloaded'), 0, 'overload', 'concurrency']] },
  { name: /apim/, rows: [[CLIENT, 0, /quota/, 'quota_exhausted']] },
];

/** Which limit the words speak of; the first that fits. Read over codes and sentences together. */
export const SCOPES: readonly (readonly [words: RegExp, scope: Scope])[] = [
  [/concurren|in[-_ ]?flight|parallel|并发/, 'concurrency'],
  [
    /burst_?rate|accelerat|too sharply|(?:rising|growing|increas\w+|growth) (?:too |is )?(?:fast|quick|sharp|steep)/,
    'ramp',
  ],
  [/utili[sz]ation/, 'utilization'],
  [/(?<!or )input[-_ ]?tokens?/, 'input_tokens'],
  [/(?<!or )output[-_ ]?tokens?/, 'output_tokens'],
  [
    / tokens |tokens?[-_ ]?(?:per|limit|rate|quota_)|too many tokens|\btp[dhms]\b|type: ?tokens|dynamic_token/,
    'tokens',
  ],
  [
    / requests (?=.* rate_limit)|(?:requests?|models)[-_ ]?(?:per|rate|limit|frequency)|\brp[dhms]\b|call rate|type: ?requests|dynamic_request|limit_requests|ratequota/,
    'requests',
  ],
];
