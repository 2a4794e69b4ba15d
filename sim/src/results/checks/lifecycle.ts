/** The life of a request: attempts in order, each queued, admitted and settled once. */

import type { RequestResumed } from '../../trace/crash-events.js';
import type {
  RequestAdmitted,
  RequestQueued,
  RequestSettled,
  RequestWithdrawn,
  RetryScheduled,
} from '../../trace/events.js';
import { breach } from './invariants.js';
import type { WatchedRequest } from './watched.js';

/** A first attempt is queued: ids count from 1. */
export function checkFirstQueued({ id, attempt }: RequestQueued, lastId: number): void {
  if (attempt !== 1) breach('attempts-in-order', `request ${id} begins with attempt ${attempt}`);
  if (id !== lastId + 1) breach('attempts-in-order', `request ${id} begins after request ${lastId}`);
}

/** A later attempt is queued. */
export function checkQueuedAgain({ id, attempt, key }: RequestQueued, request: WatchedRequest): void {
  if (request.phase !== 'backing-off' || attempt !== request.attempt + 1) {
    breach(
      'attempts-in-order',
      `attempt ${attempt} of request ${id} is queued, attempt ${request.attempt} is ${request.phase}`,
    );
  }
  if (key !== request.key.key) breach('attempts-in-order', `request ${id} goes from ${request.key.key} to ${key}`);
}

export function checkAdmitted(
  { id, attempt, key }: RequestAdmitted,
  request: WatchedRequest | undefined,
): WatchedRequest {
  if (request === undefined) breach('attempts-in-order', `request ${id} is admitted and was never queued`);
  const { phase } = request;
  const waits = phase === 'queued' || phase === 'arriving' || phase === 'parked';
  if (!waits || attempt !== request.attempt || key !== request.key.key) {
    breach(
      'attempts-in-order',
      `attempt ${attempt} of request ${id} is admitted on ${key}, attempt ${request.attempt} on ${request.key.key} is ${phase}`,
    );
  }
  return request;
}

export function checkSettled(event: RequestSettled, request: WatchedRequest | undefined): WatchedRequest {
  const { id, attempt, epoch, outcome, lost } = event;
  if (request?.phase !== 'in-flight' || attempt !== request.attempt) {
    const state = request === undefined ? 'over or unknown' : `at attempt ${request.attempt}, ${request.phase}`;
    breach('one-settlement', `attempt ${attempt} of request ${id} settles, and the request is ${state}`);
  }
  if (epoch !== request.epoch) {
    breach('one-settlement', `request ${id} was admitted in epoch ${request.epoch} and settles in epoch ${epoch}`);
  }
  if (outcome === 'succeeded' && lost === true) breach('one-settlement', `request ${id} succeeded and is lost`);
  return request;
}

/** An attempt that was in no line comes back to it. */
export function checkResumed(
  { id, attempt, key }: RequestResumed,
  request: WatchedRequest | undefined,
): WatchedRequest {
  if (request?.phase !== 'down' || attempt !== request.attempt || key !== request.key.key) {
    const state = request === undefined ? 'over or unknown' : `at attempt ${request.attempt}, ${request.phase}`;
    breach(
      'attempts-in-order',
      `attempt ${attempt} of request ${id} is resumed on ${key}, and the request is ${state}`,
    );
  }
  return request;
}

export function checkRetry({ t, id, attempt }: RetryScheduled, request: WatchedRequest | undefined): WatchedRequest {
  if (request?.phase !== 'settled' || attempt !== request.attempt || t !== request.settledAt) {
    breach('attempts-in-order', `a retry of attempt ${attempt} of request ${id} does not follow its settlement`);
  }
  return request;
}

export function checkWithdrawn(
  { id, attempt, key, from }: RequestWithdrawn,
  request: WatchedRequest | undefined,
): WatchedRequest {
  if (request === undefined) breach('attempts-in-order', `request ${id} is withdrawn and was never queued`);
  const { phase } = request;
  // A run that has crashed may be replaced before its requests are back in their lines.
  const waits = phase === 'queued' || phase === 'arriving' || phase === 'parked' || phase === 'down';
  if ((from === 'queue' ? !waits : phase !== 'backing-off') || attempt !== request.attempt || key !== request.key.key) {
    breach(
      'attempts-in-order',
      `attempt ${attempt} of request ${id} is withdrawn from the ${from} of ${key}, attempt ${request.attempt} on ${request.key.key} is ${phase}`,
    );
  }
  return request;
}
