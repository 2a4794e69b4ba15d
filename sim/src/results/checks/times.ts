/** What the events say of durations is what their times say. */

import type { Mode, RequestAdmitted, RequestQueued, RequestSettled } from '../../trace/events.js';
import { breach } from './invariants.js';
import type { WatchedRequest } from './watched.js';

/** A distance of two times, each rounded to a microsecond, misses a third rounded number by at most 1.5 µs. */
const TOLERANCE_MS = 0.0015;

function differ(a: number, b: number, tolerance: number): boolean {
  return !(Math.abs(a - b) <= tolerance);
}

/** A virtual clock keeps a backoff to the microsecond; timers of a real one are late. */
export function accountBackoff({ t, id }: RequestQueued, request: WatchedRequest, mode: Mode): void {
  const { retryAt, settledAt } = request;
  const isOff = mode === 'simulated' ? differ(t, retryAt, TOLERANCE_MS) : t < retryAt - TOLERANCE_MS;
  if (isOff) breach('times-add-up', `request ${id} is queued again at ${t} ms; its backoff ends at ${retryAt} ms`);
  request.accountedMs += t - settledAt;
}

export function accountWait({ t, id, waitMs }: RequestAdmitted, request: WatchedRequest): void {
  const distance = t - request.queuedAt;
  if (differ(waitMs, distance, TOLERANCE_MS)) {
    breach('wait-as-measured', `request ${id} waited ${waitMs} ms by the gate, ${distance} ms by the trace`);
  }
  request.accountedMs += waitMs;
}

export function accountService({ t, id, serviceMs }: RequestSettled, request: WatchedRequest): void {
  const distance = t - request.admittedAt;
  if (differ(serviceMs, distance, TOLERANCE_MS)) {
    breach('service-as-measured', `request ${id} took ${serviceMs} ms by its event, ${distance} ms by the trace`);
  }
  request.accountedMs += serviceMs;
}

/** The request is over. */
export function checkTotal({ t, id }: RequestSettled, { accountedMs, firstQueuedAt, attempt }: WatchedRequest): void {
  const total = t - firstQueuedAt;
  if (differ(accountedMs, total, TOLERANCE_MS * attempt)) {
    breach('times-add-up', `request ${id}: wait, service and backoff are ${accountedMs} ms of ${total} ms`);
  }
}
