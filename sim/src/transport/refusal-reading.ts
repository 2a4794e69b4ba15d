/**
 * What a client reads off a refusal: the answer as it goes over the wire, judged by the governor's own rules, so that a
 * simulated provider means to its client what the same provider means over HTTP. To render and judge each refusal anew
 * would cost more than all else of its request; so one of a kind is, with a wait by which it shows how the wire states
 * waits, and the rest are read like it.
 */

import { type AnswerClass, announcedLimits, type Classification, classify, type RateLimit } from '@tidegate/governor';
import {
  DIALECT_STYLES,
  type OverloadStatus,
  type QuotaStanding,
  type Refusal,
  type RefusalStyle,
  refusalAnswer,
} from '@tidegate/providers-mock';
import type { ModelSettings, ProviderSettings } from '../scenario/scenario.js';
import { isStreamed } from './streamed.js';
import { vendorOf } from './vendor.js';

export interface ReadRefusal {
  readonly class: Exclude<AnswerClass, 'ok'>;
  readonly retryAfterMs: number | null;
  readonly scope?: Classification['scope'];
  /** What its words say of the limit; read where that is asked for. */
  readonly limits?: readonly RateLimit[];
}

export interface RefusalSent {
  /** The wait that the provider states; null = none. */
  readonly hintMs: number | null;
  /** Its headers were lost on the way. */
  readonly isBare: boolean;
  /** Milliseconds since 1970, at which it was decided. */
  readonly epochMs: number;
  /** Of the quotas that the request met; asked where they matter. */
  standings(): readonly QuotaStanding[];
  /** It comes under a status of 200, which was sent before. */
  readonly isHeadSent?: boolean;
  /** Whether what it says of the limit matters. */
  readonly readsLimits?: boolean;
}

/** What a refusal of one kind has in common with the others. */
interface Trait {
  readonly status: Refusal['status'];
  readonly scope: Refusal['scope'];
  readonly quota: string;
  readonly isHinted: boolean;
  readonly isBare: boolean;
  /** Of the quota; undefined where nobody asks. */
  readonly limit: number | undefined;
}

/** How a refusal of one kind is read. `form`: to what the wire rounds a stated wait, or that it cannot be told from one. */
interface Kind extends Trait {
  readonly read: ReadRefusal;
  readonly form: 'none' | 'ms' | 'seconds' | 'differs';
}

/** No multiple of any unit, so that every rounding shows; a date has whole seconds anyway. */
const PROBE_MS = 1234.5;
const PROBE_DATE_MS = 2000;
const SECOND_MS = 1000;
/** Beyond, a wait may change what the refusal means. */
const ORDINARY_MS = 300_000;

/** Of one model of a provider, as it is now; other settings need another one. */
export class RefusalReader {
  readonly #model: string;
  readonly #settings: ModelSettings;
  readonly #style: RefusalStyle;
  readonly #wire: ProviderSettings['wire'];
  readonly #vendor: string;
  /** As many as the model has quotas, times a few: looked through in less time than a name for one takes to make. */
  readonly #kinds: Kind[] = [];

  /** @param provider by its name in the scenario. */
  constructor(provider: string, model: string, { wire, refusal, models }: ProviderSettings) {
    this.#model = model;
    this.#settings = models[model] as ModelSettings;
    this.#style = refusal ?? DIALECT_STYLES[wire];
    this.#wire = wire;
    this.#vendor = vendorOf(provider, wire, refusal);
  }

  read(refusal: Refusal, sent: RefusalSent): ReadRefusal {
    const { hintMs, isBare } = sent;
    if (refusal.tooLarge || (hintMs !== null && hintMs > ORDINARY_MS)) return this.judge(refusal, sent);
    const { quota, scope, status } = refusal;
    const limit = sent.readsLimits ? sent.standings().find(({ spec }) => spec.name === quota)?.spec.limit : undefined;
    const trait: Trait = { status, scope, quota, isHinted: hintMs !== null, isBare, limit };
    let kind = this.#kinds.find((known) => isOf(known, trait));
    if (kind === undefined) {
      kind = { ...trait, ...this.#readingOf(refusal, sent) };
      this.#kinds.push(kind);
    }
    switch (kind.form) {
      case 'none':
        return kind.read;
      case 'ms':
        return { ...kind.read, retryAfterMs: wholeMs(hintMs as number) };
      case 'seconds':
        return { ...kind.read, retryAfterMs: Math.ceil((hintMs as number) / SECOND_MS) * SECOND_MS };
      case 'differs':
        return this.judge(refusal, sent);
    }
  }

  /** What an answer of `status` means without a wait: not every provider can say that it is overloaded. */
  readOverload(status: OverloadStatus, isHeadSent = false): ReadRefusal['class'] {
    const refusal: Refusal = {
      ...{ kind: 'refused', quota: '', scope: 'overload', status },
      ...{ waitMs: null, tooLarge: false, lease: null },
    };
    const sent: RefusalSent = { hintMs: null, isBare: true, epochMs: 0, standings: () => [], isHeadSent };
    return isHeadSent ? this.judge(refusal, sent).class : this.read(refusal, sent).class;
  }

  /** Renders this very refusal, and judges it. */
  judge(
    refusal: Refusal,
    { hintMs, isBare, epochMs, standings, readsLimits, isHeadSent = false }: RefusalSent,
  ): ReadRefusal {
    const answer = refusalAnswer(refusal, {
      style: this.#style,
      dialect: DIALECT_STYLES[this.#wire],
      facts: {
        ...{ method: 'POST', path: '/', model: this.#model, requestId: '' },
        ...{ stream: isStreamed(this.#settings), epochMs },
      },
      standings: standings(),
      ...{ retryAfter: this.#settings.retryAfter, hintMs, isBare, afterMs: 0 },
    });
    if (answer.kind === 'nothing') return { class: 'transient', retryAfterMs: null };
    const body = answer.kind === 'whole' ? answer.body : [...answer.frames].map(({ data }) => data).join('');
    const {
      class: verdict,
      retryAfterMs,
      scope,
      reducesCap,
    } = classify({
      provider: this.#vendor,
      status: isHeadSent ? 200 : answer.status,
      headers: { date: new Date(epochMs).toUTCString(), ...answer.headers },
      body,
      receivedAt: epochMs,
    });
    if (verdict === 'ok') return { class: 'transient', retryAfterMs: null };
    const limits = readsLimits && reducesCap ? announcedLimits({ body }, scope) : [];
    return {
      ...{ class: verdict, retryAfterMs },
      ...(scope !== undefined && { scope }),
      ...(limits.length > 0 && { limits }),
    };
  }

  #readingOf(refusal: Refusal, sent: RefusalSent): Pick<Kind, 'read' | 'form'> {
    if (sent.hintMs === null) {
      const read = this.judge(refusal, sent);
      return { read, form: read.retryAfterMs === null && !this.#maySayResets(read) ? 'none' : 'differs' };
    }
    const { retryAfter } = this.#settings;
    const isDate = retryAfter.kind !== 'none' && retryAfter.as === 'http-date';
    const probeMs = isDate ? PROBE_DATE_MS : PROBE_MS;
    const read = this.judge(refusal, { ...sent, hintMs: probeMs });
    return { read, form: formOf(read.retryAfterMs, probeMs) };
  }

  /** A client takes the reset of a limit that is used up for the wait where none is stated; whether one is, differs. */
  #maySayResets({ class: verdict }: ReadRefusal): boolean {
    const isLimited = verdict === 'throttle' || verdict === 'quota_exhausted';
    return isLimited && this.#style !== DIALECT_STYLES[this.#wire] && this.#style.rateLimits.kind !== 'none';
  }
}

function isOf(kind: Kind, { status, scope, quota, isHinted, isBare, limit }: Trait): boolean {
  return (
    kind.quota === quota &&
    kind.scope === scope &&
    kind.status === status &&
    kind.isHinted === isHinted &&
    kind.isBare === isBare &&
    kind.limit === limit
  );
}

function formOf(readMs: number | null, probeMs: number): Kind['form'] {
  if (readMs === null) return 'none';
  if (readMs === wholeMs(probeMs)) return 'ms';
  return readMs === Math.ceil(probeMs / SECOND_MS) * SECOND_MS ? 'seconds' : 'differs';
}

/** As a client reads milliseconds: whole ones, rounded up, but not by the last bit of a double. */
function wholeMs(ms: number): number {
  return Math.max(0, Math.ceil(ms - 1e-7));
}
