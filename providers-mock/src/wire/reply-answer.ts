/** A reply as an answer: whole or streamed, at the pace of the model. */

import type { StreamedAnswer, WholeAnswer } from './answer.js';
import type { Dialect, RequestPath } from './dialect.js';
import { type Pace, pacedFrames, totalMs } from './paced-frames.js';
import type { Reply } from './reply.js';

/** What is known of an answer that is about to begin. */
export interface ReplyPlan {
  readonly dialect: Dialect;
  readonly reply: Reply;
  readonly path: RequestPath;
  readonly stream: boolean;
  readonly wantsUsage: boolean;
  readonly pace: Pace;
  readonly headers: Readonly<Record<string, string>>;
}

export function replyAnswer(plan: ReplyPlan): WholeAnswer | StreamedAnswer {
  return plan.stream ? streamedAnswer(plan) : wholeAnswer(plan);
}

/** Its body is written when it is asked for: hundreds that wait for their time would be so much more for each collection. */
export function wholeAnswer({ dialect, reply, pace, headers }: ReplyPlan): WholeAnswer {
  return {
    kind: 'whole',
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    afterMs: totalMs(pace, reply.length),
    ending: 'end',
    get body() {
      return dialect.whole(reply);
    },
  };
}

export function streamedAnswer({ dialect, reply, path, wantsUsage, pace, headers }: ReplyPlan): StreamedAnswer {
  const stream = dialect.stream(reply, { ...path, wantsUsage });
  return {
    kind: 'streamed',
    status: 200,
    headers: { 'content-type': stream.contentType, 'cache-control': 'no-cache', ...headers },
    afterMs: pace.headMs,
    ending: 'end',
    frames: pacedFrames(stream, reply.pieces(), pace),
  };
}
