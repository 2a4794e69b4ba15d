/**
 * A model behind the wire: asks the quota models for a verdict and makes the answer of it. Told the time; its random
 * numbers are drawn by the caller's `ModelDraws`.
 */

import { FAULT_EFFECTS, type FaultKind, type FaultSpec, pickFault, usedUnderFault } from '../models/faults.js';
import type { RetryAfterSpec } from '../models/hint-spec.js';
import type { ProviderModel } from '../models/provider-model.js';
import type { QuotaStanding } from '../models/quota.js';
import { hintMs } from '../models/retry-after.js';
import type { AdmittedLease, Refusal, RequestFacts } from '../models/verdict.js';
import type { KeepAlive, RefusalStyle, WireAnswer } from './answer.js';
import type { Asked } from './asked.js';
import type { Dialect, RequestPath } from './dialect.js';
import { type ErrorFacts, type ErrorStyles, requestIdHeader } from './error-answer.js';
import { AdmittedExchange, type Exchange, RefusedExchange } from './exchange.js';
import { faultAnswer } from './fault-answer.js';
import type { Pace } from './paced-frames.js';
import { addRateLimitHeaders } from './rate-limit-headers.js';
import { refusalAnswer } from './refusal-answer.js';
import { type Reply, replyTo } from './reply.js';
import { type ReplyPlan, replyAnswer } from './reply-answer.js';
import { EVENT_STREAM } from './server-sent-events.js';

/** How a model answers, besides its quotas. */
export interface ModelManners {
  readonly retryAfter: RetryAfterSpec;
  /** Default: none. */
  readonly faults?: readonly FaultSpec[];
  /**
   * While a request waits at a busy server, its head is sent at once and bytes without meaning this often: blank lines, in a
   * stream comments. Milliseconds > 0. Default: nothing is sent until it is worked on.
   */
  readonly keepAliveMs?: number;
  /** The `max_tokens` of a request that states none; whole, ≥ 1. Default 4096. */
  readonly unsetMaxTokens?: number;
  readonly draws: ModelDraws;
}

/** What is left to chance in a model's answers; each is asked at most once a request. */
export interface ModelDraws {
  /** Of a full text answer; whole, ≥ 1. A caller's maximum cuts it off, a call of a tool has its own length. */
  outputTokens(request: DrawnFor): number;
  /** Asked when the request begins to be worked on. */
  times(request: DrawnFor, served: Served): AnswerTimes;
  /** Milliseconds ≥ 0 until a refusal arrives, or an answer that a fault ends early. */
  refusalMs(request: DrawnFor): number;
  /** In [0, 1): the error of a hint. */
  hint(request: DrawnFor): number;
  /** In [0, 1): which fault befalls the request. Asked only where there are faults. */
  fault(request: DrawnFor): number;
}

export interface Served {
  /** What the answer has, or each of its choices. */
  readonly outputTokens: number;
  /** Requests of the model that are worked on, this one included. */
  readonly inService: number;
}

/** Milliseconds ≥ 0, all from the moment at which the work began, load included. */
export interface AnswerTimes {
  readonly firstTokenMs: number;
  /** At least `firstTokenMs`. */
  readonly totalMs: number;
  /** When the head of a stream goes out; at most `firstTokenMs`, which is the default. */
  readonly headMs?: number;
}

/** What a draw may look at. */
export interface DrawnFor extends RequestFacts {
  readonly model: string;
  /** Of the request, names in lower case. */
  readonly headers: RequestHeaders;
}

export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The told time of the models, and the provider's wall clock. */
export interface Instant {
  readonly nowMs: number;
  readonly epochMs: number;
}

/** A request to a model that exists. */
export interface GenerationRequest {
  readonly asked: Asked;
  readonly dialect: Dialect;
  readonly style: RefusalStyle;
  readonly path: RequestPath;
  readonly method: string;
  /** The path as it was written. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Which request of this server it is, from 1. */
  readonly number: number;
  readonly requestId: string;
  readonly at: Instant;
  /** What the caller of a test fixes; null = drawn. */
  readonly outputTokens: number | null;
}

const UNSET_MAX_TOKENS = 4096;

/** What is known once the models have decided. */
interface Decided {
  readonly request: GenerationRequest;
  readonly model: ProviderModel;
  readonly manners: ModelManners;
  /** What each choice may have. */
  readonly maxTokensEach: number;
  readonly drawnFor: DrawnFor;
  readonly standings: readonly QuotaStanding[];
  readonly fault: FaultKind | null;
}

export function generate(model: ProviderModel, manners: ModelManners, request: GenerationRequest): Exchange {
  const { asked, at, headers } = request;
  const { inputTokens, cachedTokens = 0, choices = 1 } = asked;
  const maxTokensEach = asked.maxTokens ?? manners.unsetMaxTokens ?? UNSET_MAX_TOKENS;
  // A provider counts what all of them may have.
  const maxTokens = Math.min(Number.MAX_SAFE_INTEGER, maxTokensEach * choices);
  const drawnFor = { inputTokens, cachedTokens, maxTokens, model: asked.model, headers };
  const verdict = model.decide(drawnFor, at.nowMs);
  try {
    const standings = model.standings(drawnFor, at.nowMs);
    const { faults = [], draws } = manners;
    const fault = faults.length === 0 ? null : pickFault(faults, at.nowMs, draws.fault(drawnFor));
    const decided = { request, model, manners, maxTokensEach, drawnFor, standings, fault };
    return verdict.kind === 'refused' ? refuse(decided, verdict) : admit(decided, verdict.lease);
  } catch (error) {
    // The draws are a stranger's: what is wrong with them must not cost a place.
    verdict.lease?.abandoned(at.nowMs);
    throw error;
  }
}

function refuse({ request, manners, drawnFor, standings, fault }: Decided, verdict: Refusal): Exchange {
  const { retryAfter, draws } = manners;
  const answer = refusalAnswer(verdict, {
    ...stylesOf(request),
    facts: factsOf(request),
    standings,
    retryAfter,
    hintMs: hintMs(retryAfter, verdict, request.at.epochMs, draws.hint(drawnFor)),
    isBare: fault === 'no-headers',
    afterMs: draws.refusalMs(drawnFor),
  });
  return new RefusedExchange(answer, verdict.lease);
}

function admit(decided: Decided, lease: AdmittedLease): Exchange {
  const { request, manners, maxTokensEach, drawnFor, fault } = decided;
  const reply = replyTo(request.asked, {
    number: request.number,
    createdS: Math.floor(request.at.epochMs / 1000),
    outputTokens: request.outputTokens ?? manners.draws.outputTokens(drawnFor),
    maxTokens: maxTokensEach,
  });
  const headers = headersOf(decided);
  const keepAlive = keepAliveOf(decided, headers);
  if (fault === null) {
    return new AdmittedExchange(lease, reply.usage, () => replyAnswer(planOf(decided, reply, headers)), keepAlive);
  }
  const faulty = {
    styles: stylesOf(request),
    details: { facts: factsOf(request) },
    earlyMs: manners.draws.refusalMs(drawnFor),
  };
  const used = usedUnderFault(FAULT_EFFECTS[fault], reply.usage);
  const answer = (isHeadSent: boolean): WireAnswer =>
    faultAnswer(fault, { ...planOf(decided, reply, headers), ...faulty, isHeadSent });
  return new AdmittedExchange(lease, used, answer, keepAlive);
}

function keepAliveOf({ request, manners }: Decided, headers: Readonly<Record<string, string>>): KeepAlive | null {
  if (manners.keepAliveMs === undefined) return null;
  const isEvents = request.asked.stream && request.path.asEvents;
  const type = isEvents ? EVENT_STREAM : 'application/json';
  const data = isEvents ? ': keep-alive\n\n' : '\n';
  return { headers: { 'content-type': type, ...headers }, data, everyMs: manners.keepAliveMs };
}

/** Made when the request is served, since its pace depends on the load of that moment. */
function planOf(decided: Decided, reply: Reply, headers: Readonly<Record<string, string>>): ReplyPlan {
  const { dialect, path, asked } = decided.request;
  const { stream, wantsUsage } = asked;
  return { dialect, path, stream, wantsUsage, reply, headers, pace: paceOf(decided, reply) };
}

function paceOf({ manners, model, drawnFor }: Decided, { length }: Reply): Pace {
  const served = { outputTokens: length, inService: Math.max(1, model.inService) };
  const { firstTokenMs, totalMs, headMs = firstTokenMs } = manners.draws.times(drawnFor, served);
  const perTokenMs = (totalMs - firstTokenMs) / length;
  return { headMs: Math.min(headMs, firstTokenMs), firstTokenMs, perTokenMs };
}

function headersOf({ request, standings, fault }: Decided): Readonly<Record<string, string>> {
  const { style, requestId, at } = request;
  const headers = requestIdHeader(style, requestId);
  if (fault !== 'no-headers') {
    addRateLimitHeaders(headers, style.rateLimits, { standings, epochMs: at.epochMs, isRefusal: false });
  }
  return headers;
}

function factsOf({ method, url, requestId, asked, at }: GenerationRequest): ErrorFacts {
  return { method, path: url, requestId, model: asked.model, stream: asked.stream, epochMs: at.epochMs };
}

function stylesOf({ style, dialect }: GenerationRequest): ErrorStyles {
  return { style, dialect: dialect.style };
}
