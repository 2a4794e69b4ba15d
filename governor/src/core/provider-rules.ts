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

/** 0 stands for "whatever it says". */
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
  /** It holds a request open with blank lines or comments while it queues. */
  readonly holdsOpen?: true;
  /** The member that each of its JSON answers has; without it the model was not ready. */
  readonly required?: string;
  /** Its rate limits can only be about tokens once a stream has opened: requests are counted at the head. */
  readonly streamRefusalScope?: Scope;
}

/** Codes stand in one string, each with a space on both sides. */
const code = (alternatives: string): RegExp => new RegExp(` (?:${alternatives}) `);

const CODE_CONTEXT = code('context_(?:length|window)_exceeded|exceed_context_size_error|model_context_window_exceeded');
const TEXT_CONTEXT =
  /(?:maximum|model|available|exceeds? the|the) (?:model'?s )?(?:context|prompt length)|context (?:length|window|size|limit)|(?:prompt|input)(?: \([^)]*\))? is too long|prompt too long|too many tokens:|input token count|reduce the length of|range of input length|model token limit|`inputs` tokens/i;
const TEXT_CONTENT =
  /content[ _](?:management )?(?:policy|filter)|safety (?:system|filter|polic)|unsafe|sensitive (?:content|words?|info)|inappropriate content|flagged|moderation|usage policies|敏感|违规/i;
const TEXT_PAYMENT =
  /spend(?:ing)? (?:limit|cap)|credit balance|(?:insufficient|\bno|out of|all available|purchase) (?:more )?(?:prepaid |account )?(?:credit|balance|funds)|in arrears|budget has been exceeded|余额不足|欠费/i;
const TEXT_QUOTA =
  /(?:usage|monthly|weekly|session|daily|plan) (?:\w+ )?(?:limit|quota)|exceeded your (?:\w+ )*quota|quota (?:is |has been )?(?:exceeded|exhausted)|free (?:tier|usage|quota)|account balance|recharge|volume quota|额度/i;
const TEXT_OVERLOAD =
  /overload|high demand|temporarily unable|(?:at|no|over|insufficient|lacks?) capacity|capacity (?:is )?(?:exceeded|exhausted|reached)|queue is full|too many queued|server (?:is )?busy|too busy|heavy (?:load|access|traffic)|high traffic|负载|繁忙/i;
const TEXT_RATE =
  /rate limit(?:ed)? (?:is |was |has been )?(?:reached|exceeded)|(?:exceed\w*|reached|hit) .{0,40}rate limit|too many (?:concurrent )?requests|throttled|限频|限流|频率|请求过于频繁/i;
const TEXT_PER_MINUTE = /per[-_ ]?(?:min|sec)|\b[RT]P[MS]\b/i;

/** What can mean one thing only, whoever says it. */
export const CERTAIN: readonly Rule[] = [
  [LIMITED | NONE, 0, /\blimit: ?0\b(?![.,]?\d| \w* ?(?:remain|left))|\(actual\/limit\): \d+\/0\b/i, 'quota_exhausted'],
  [ANY, code('request_too_large'), 0, 'request_too_large'],
  [ANY, 0, /request too large|limit:? [\d,]+, requested:? [\d,]+/i, 'request_too_large'],
  // OpenRouter's 402 that a finished request repairs.
  [ANY, code('in_flight_budget_exhausted|openrouter_in_flight_budget'), 0, 'throttle', 'concurrency'],
  [PAYMENT, 0, /in-flight/i, 'throttle', 'concurrency'],
  [ANY, code('modelnotreadyexception|conflictexception'), 0, 'transient'],
  [ANY, 0, /loading model|model is (?:currently )?(?:loading|not ready|warming)|cold start/i, 'transient'],
  [CLIENT, 0, /unexpected end of (?:data|input|json)/i, 'transient'],
  [ANY, 0, /error(?: code:?)? 1015\b|being rate limited/i, 'throttle'],
  [CLIENT | LIMITED | PAYMENT | NONE, 0, TEXT_PAYMENT, 'quota_exhausted'],
];

export const GENERIC: readonly Rule[] = [
  [
    ANY,
    code(
      'insufficient_(?:user_)?quota|insufficient_(?:balance|funds|credits?)|billing_\\w+|credit_balance_\\w+|' +
        '(?:\\w+_)?(?:usage|spend)_limit_\\w+|exceeded_current_quota\\w*|quota_(?:exceeded|exhausted)|budget_exceeded|' +
        'arrearage|servicequotaexceededexception|allocationquota\\.freetieronly|' +
        'openrouter_(?:credits|key_limit|free_tier_\\w+)|payment_required',
    ),
    0,
    'quota_exhausted',
  ],
  [ANY, CODE_CONTEXT, 0, 'context_length'],
  [
    ANY,
    code('content_(?:filter|policy_violation)|responsibleaipolicyviolation|data_?inspection_?failed'),
    0,
    'content_policy',
  ],
  [
    ANY,
    code(
      '\\w*overloaded\\w*|queue_exceeded|(?:\\w+_)?capacity_(?:exceeded|exhausted)|temporary-reduced-capacity|' +
        'unavailable|service_?unavailable\\w*|5[02][39]',
    ),
    0,
    'overload',
  ],
  [ANY & ~TOO_LARGE, code('slow_down'), 0, 'throttle', 'ramp'],
  [
    ANY & ~TOO_LARGE,
    code(
      'rate_?limit\\w*|too_?many_?requests\\w*|throttl[\\w.]*|limit_requests|dynamic_\\w+_limited|requestlimitexceeded|' +
        '(?:token|request)_quota_exceeded|quota-exceeded',
    ),
    0,
    'throttle',
  ],
  // These only repeat a 429, which its sentence may yet explain; and a 503 with them is short of capacity.
  [CLIENT | SERVER | NONE, code('429|resource[-_]exhausted'), 0, 'throttle'],
  [
    CLIENT | NONE,
    code(
      '(?:invalid_)?api_key_?(?:invalid)?|authentication_error|permission_(?:error|denied)|unauthenticated|unauthorized|' +
        'accessdenied\\w*|unrecognizedclientexception|expiredtoken\\w*',
    ),
    0,
    'auth',
  ],
  [CLIENT | SERVER | NONE | TOO_LARGE, 0, TEXT_CONTEXT, 'context_length'],
  [CLIENT | NONE, 0, TEXT_CONTENT, 'content_policy'],
  [LIMITED | NONE, 0, TEXT_PER_MINUTE, 'throttle'],
  [LIMITED | SERVER | NONE, 0, TEXT_OVERLOAD, 'overload'],
  [CLIENT | LIMITED | NONE, 0, TEXT_QUOTA, 'quota_exhausted'],
  [CLIENT | SERVER | NONE, 0, TEXT_RATE, 'throttle'],
  [CLIENT, 0, /api key (?:is )?(?:not valid|invalid|expired)|(?:invalid|incorrect) api key/i, 'auth'],
  [
    NONE,
    code('invalid_\\w+|validation\\w*|bad_?request\\w*|(?:model_)?not_?found\\w*|unsupported_\\w+'),
    0,
    'bad_request',
  ],
];

/** The first whose name fits. */
export const PROVIDERS: readonly ProviderRules[] = [
  {
    name: /zhipu|bigmodel|^z[.-]?ai|glm/,
    zoneMinutes: 480,
    rows: [
      [ANY, code('1304'), 0, 'quota_exhausted', 'requests_day'],
      [ANY, code('1113|1308|1309|1310|1313|131[6-9]|132[01]'), 0, 'quota_exhausted'],
      [ANY, code('1302'), 0, 'throttle', 'concurrency'],
      [ANY, code('1303'), 0, 'throttle', 'requests'],
      [ANY, code('1305|1312'), 0, 'overload'],
      [ANY, code('1234|1230'), 0, 'transient'],
      [ANY, code('1261'), 0, 'context_length'],
      [ANY, code('130[01]'), 0, 'content_policy'],
      [ANY, code('1311|100[0-4]|111[0-2]|1220'), 0, 'auth'],
      [ANY, code('12[12]\\d'), 0, 'bad_request'],
    ],
  },
  {
    name: /minimax/,
    rows: [
      [ANY, code('1002'), /token|TPM/i, 'throttle', 'tokens'],
      [ANY, code('1002'), 0, 'throttle', 'requests'],
      [ANY, code('1039'), 0, 'throttle', 'tokens'],
      [ANY, code('1041'), 0, 'throttle', 'concurrency'],
      [ANY, code('2045'), 0, 'throttle', 'ramp'],
      [ANY, code('1008|2056'), 0, 'quota_exhausted'],
      [ANY, code('1000|1001|1024|1033'), 0, 'transient'],
      [ANY, code('1004|2049'), 0, 'auth'],
      [ANY, code('1026|1027'), 0, 'content_policy'],
      [ANY, code('2013'), TEXT_CONTEXT, 'context_length'],
      [ANY, code('2013'), 0, 'bad_request'],
    ],
  },
  {
    // Its `insufficient_quota` is the tokens of this minute.
    name: /dashscope|alibaba|aliyun|bailian|qwen/,
    rows: [
      [ANY, code('insufficient_quota|throttling\\.allocationquota'), 0, 'throttle', 'tokens'],
      [ANY, code('limit_burst_rate|throttling\\.burstrate'), 0, 'throttle', 'ramp'],
      [ANY, code('limit_requests|throttling\\.ratequota'), 0, 'throttle', 'requests'],
    ],
  },
  {
    // One code for a rate, for money and for no access at all.
    name: /^x\.?ai|grok/,
    rows: [
      [LIMITED | NONE, 0, /credit|quota|purchase/i, 'quota_exhausted'],
      [LIMITED | NONE, 0, /too many requests/i, 'throttle'],
    ],
  },
  {
    name: /vertex/,
    shortWaitMisleads: true,
    rows: [
      [LIMITED | NONE, 0, /per[-_ ]?day|daily/i, 'quota_exhausted'],
      [LIMITED | NONE, 0, /^ resource (?:has been )?exhausted/i, 'overload'],
      [LIMITED | NONE, code('resource_exhausted'), 0, 'throttle'],
    ],
  },
  {
    // Its sentence about a minute's quota speaks of plan and billing; the quota's name tells.
    name: /gemini|google/,
    shortWaitMisleads: true,
    rows: [
      [ANY, code('model_capacity_exhausted'), 0, 'overload'],
      [LIMITED | NONE, 0, /per[-_ ]?day|daily/i, 'quota_exhausted'],
      [LIMITED | NONE, code('resource_exhausted'), 0, 'throttle'],
    ],
  },
  { name: /bedrock|amazon|^aws/, rows: [[LIMITED | NONE, 0, /per day/i, 'quota_exhausted', 'tokens_day']] },
  {
    name: /mistral/,
    zeroLimitIsNoAccess: true,
    rows: [[ANY, code('3505'), 0, 'overload']],
  },
  { name: /moonshot|kimi/, rows: [[LIMITED | NONE, 0, /\bTPD\b|per day/i, 'quota_exhausted', 'tokens_day']] },
  {
    name: /fireworks/,
    rows: [
      [LIMITED | NONE, code('rate_limit_\\w+'), /requests?\b|RPM/i, 'throttle', 'requests'],
      [LIMITED | NONE, code('rate_limit_\\w+'), 0, 'throttle', 'tokens'],
    ],
  },
  {
    name: /openrouter/,
    required: 'choices',
    rows: [[ANY, code('openrouter_free_tier_daily'), 0, 'quota_exhausted', 'requests_day']],
  },
  { name: /together/, resetIsWait: true, rows: [] },
  { name: /deepseek/, holdsOpen: true, rows: [] },
  { name: /^openai(?!-comp)/, streamRefusalScope: 'tokens', rows: [] },
  {
    name: /tgi|text-generation|hugging/,
    rows: [[ANY, code('overloaded'), 0, 'overload', 'concurrency']],
  },
  { name: /apim/, rows: [[CLIENT, 0, /quota/i, 'quota_exhausted']] },
];

/** Which limit the words speak of; the first that fits. Read over codes and sentences together. */
export const SCOPES: readonly (readonly [words: RegExp, scope: Scope])[] = [
  [/concurren|in[-_ ]?flight|parallel|并发/i, 'concurrency'],
  [
    /slow_down|burst_?rate|accelerat|too sharply|(?:rising|growing|increas\w+|growth) (?:too |is )?(?:fast|quick|sharp|steep)/i,
    'ramp',
  ],
  [/utili[sz]ation/i, 'utilization'],
  [/(?<!or )input[-_ ]?tokens?/i, 'input_tokens'],
  [/(?<!or )output[-_ ]?tokens?/i, 'output_tokens'],
  [
    / tokens |tokens?[-_ ]?(?:per|limit|rate|quota_)|too many tokens|\bTP[DHMS]\b|type: ?tokens|dynamic_token/i,
    'tokens',
  ],
  [
    / requests (?=.* rate_limit)|(?:requests?|models)[-_ ]?(?:per|rate|limit|frequency)|\bRP[DHMS]\b|call (?:rate|limit)|type: ?requests|dynamic_request/i,
    'requests',
  ],
];
