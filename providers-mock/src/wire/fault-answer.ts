/**
 * What goes over the wire in place of a reply that a fault befell. The fault was drawn before, and `FAULT_EFFECTS` says
 * when the attempt ends; here its bytes are made.
 */

import { type FaultKind, SLOWNESS } from '../models/faults.js';
import type { ErrorCase, StreamedAnswer, WireAnswer } from './answer.js';
import { type ErrorDetails, type ErrorStyles, errorAnswer, errorBody } from './error-answer.js';
import { type Pace, pacedFrames, totalMs } from './paced-frames.js';
import { type ReplyPlan, replyAnswer, streamedAnswer, wholeAnswer } from './reply-answer.js';

export interface FaultPlan extends ReplyPlan {
  readonly styles: ErrorStyles;
  readonly details: ErrorDetails;
  /** When a refusal would arrive. */
  readonly earlyMs: number;
  /** The head of a success has gone out already: an error can then only be told inside a stream. */
  readonly isHeadSent: boolean;
}

/** Pieces that a slow answer comes in: enough to look endless, few enough for a timer each. */
const SLIVERS = 200;

const GATEWAY_PAGE =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n';

export function faultAnswer(fault: FaultKind, plan: FaultPlan): WireAnswer {
  const { earlyMs, headers } = plan;
  switch (fault) {
    case 'status-500':
    case 'status-502':
    case 'status-503':
    case 'status-529':
      if (plan.isHeadSent && plan.stream) return errorInStream(fault, plan);
      return errorAnswer(fault, plan.styles, plan.details, { headers, afterMs: earlyMs });
    case 'html-page':
      return whole(502, { ...headers, 'content-type': 'text/html' }, earlyMs, GATEWAY_PAGE);
    case 'error-in-200':
      if (plan.isHeadSent && plan.stream) return errorInStream('status-502', plan, { code: 502 });
      return errorInSuccess('status-502', plan, earlyMs, { code: 502 });
    case 'reset':
      return { kind: 'nothing', afterMs: earlyMs, ending: 'reset' };
    case 'hang':
      return { kind: 'nothing', afterMs: 0, ending: 'hang' };
    case 'empty-body':
      return whole(200, replyAnswer(plan).headers, endOf(plan), '');
    case 'truncated-json':
      return plan.stream ? truncatedStream(plan) : half(plan);
    case 'cut-stream':
      return plan.stream ? brokenStream(plan, 'half', ['']) : { ...half(plan, midwayOf(plan)), ending: 'reset' };
    case 'error-event':
      return overloadedMidway(plan);
    case 'slow':
      return plan.stream ? streamedAnswer({ ...plan, pace: slowed(plan.pace) }) : slivers(plan);
    case 'no-headers':
      return replyAnswer(plan);
  }
}

function whole(status: number, headers: Readonly<Record<string, string>>, afterMs: number, body: string): WireAnswer {
  return { kind: 'whole', status, headers, afterMs, ending: 'end', body };
}

function endOf({ pace, reply }: ReplyPlan): number {
  return totalMs(pace, reply.length);
}

function midwayOf({ pace, reply }: ReplyPlan): number {
  return totalMs(pace, reply.length / 2);
}

function halfOf(tokens: number): number {
  return Math.ceil(tokens / 2);
}

function errorInSuccess(
  kase: ErrorCase,
  { styles, details, headers }: FaultPlan,
  afterMs: number,
  overriding = {},
): WireAnswer {
  const body = JSON.stringify(errorBody(kase, styles, { ...details, overriding }));
  return whole(200, { 'content-type': 'application/json', ...headers }, afterMs, body);
}

function errorInStream(kase: ErrorCase, plan: FaultPlan, overriding = {}): StreamedAnswer {
  const { styles, details, dialect, path, earlyMs } = plan;
  const data = dialect.streamedError(errorBody(kase, styles, { ...details, overriding }), path);
  return { ...streamedAnswer(plan), afterMs: earlyMs, frames: [{ afterMs: 0, data }] };
}

/** A whole answer whose body breaks off in the middle, ended as if it were complete. */
function half(plan: FaultPlan, afterMs: number = endOf(plan)): StreamedAnswer {
  const { body, ...head } = wholeAnswer(plan);
  const frames = [{ afterMs: 0, data: body.slice(0, body.length / 2) }];
  return { ...head, kind: 'streamed', afterMs, frames };
}

/** All pieces, and then the beginning of a frame, which does not get to why the answer ended. */
function truncatedStream(plan: FaultPlan): StreamedAnswer {
  const { dialect, reply, path, wantsUsage } = plan;
  const [first = ''] = dialect.stream(reply, { ...path, wantsUsage }).closing();
  return brokenStream(plan, 'all', [first.slice(0, first.length / 4)]);
}

/** Some of the pieces and, in time, `ending` in place of the rest; a proxy ends it as if it were complete. */
function brokenStream(plan: FaultPlan, kept: 'half' | 'all', ending: readonly string[]): StreamedAnswer {
  const { dialect, reply, path, wantsUsage, pace } = plan;
  const stream = { ...dialect.stream(reply, { ...path, wantsUsage }), closing: () => ending };
  if (kept === 'all') return { ...streamedAnswer(plan), frames: pacedFrames(stream, reply.pieces(), pace) };
  const half = halfOf(reply.length);
  const tailMs = pace.perTokenMs * (1 + reply.length / 2 - half);
  return { ...streamedAnswer(plan), frames: pacedFrames(stream, firstOf(reply.pieces(), half), pace, tailMs) };
}

function* firstOf(pieces: Iterable<string>, count: number): Iterable<string> {
  let taken = 0;
  for (const piece of pieces) {
    if (taken === count) return;
    taken += 1;
    yield piece;
  }
}

function overloadedMidway(plan: FaultPlan): WireAnswer {
  const kase = plan.dialect.style.overloaded;
  if (!plan.stream) return errorInSuccess(kase, plan, midwayOf(plan));
  return brokenStream(plan, 'half', [
    plan.dialect.streamedError(errorBody(kase, plan.styles, plan.details), plan.path),
  ]);
}

function slowed({ headMs, firstTokenMs, perTokenMs }: Pace): Pace {
  return { headMs, firstTokenMs: firstTokenMs * SLOWNESS, perTokenMs: perTokenMs * SLOWNESS };
}

/** The head in time, and then the body in slivers until the slow end. */
function slivers(plan: FaultPlan): StreamedAnswer {
  const { body, ...head } = wholeAnswer(plan);
  const endMs = totalMs(slowed(plan.pace), plan.reply.length);
  const size = Math.ceil(body.length / SLIVERS);
  const count = Math.ceil(body.length / size);
  const frames = Array.from({ length: count }, (_, index) => ({
    afterMs: (endMs - plan.pace.headMs) / count,
    data: body.slice(index * size, (index + 1) * size),
  }));
  return { ...head, kind: 'streamed', afterMs: plan.pace.headMs, frames };
}
