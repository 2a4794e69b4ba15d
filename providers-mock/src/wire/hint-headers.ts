/**
 * Where a refusal's hint stands. The hint is the wait that a client reads; its size was decided before, here it is only
 * written down.
 */

import type { RetryAfterSpec } from '../models/hint-spec.js';
import type { HintPlace, RefusalStyle } from './answer.js';
import { decimalMs, decimalSeconds, httpDate, wholeSeconds } from './instants.js';

/** The places of a hint under `style`, where the model states its hints as `spec` says. */
export function hintPlaces({ hints }: RefusalStyle, spec: RetryAfterSpec): readonly HintPlace[] {
  if (hints !== 'as-stated') return hints;
  if (spec.kind === 'none') return [];
  switch (spec.as) {
    case 'seconds':
      return [spec.rounding === 'up' ? 'retry-after' : 'retry-after-decimal'];
    case 'ms':
      return ['retry-after-ms'];
    case 'http-date':
      return ['retry-after-date'];
  }
}

/** Adds the headers that say `waitMs`; a place in the body adds none. */
export function addHintHeaders(
  headers: Record<string, string>,
  places: readonly HintPlace[],
  { waitMs, epochMs }: { readonly waitMs: number; readonly epochMs: number },
): void {
  for (const place of places) {
    switch (place) {
      case 'retry-after':
        headers['retry-after'] = wholeSeconds(waitMs);
        break;
      case 'retry-after-decimal':
        headers['retry-after'] = decimalSeconds(waitMs);
        break;
      case 'retry-after-date':
        // The client subtracts the answer's own date, which has whole seconds and is cut down.
        headers['retry-after'] = httpDate(Math.floor(epochMs / 1000) * 1000 + waitMs);
        break;
      case 'retry-after-ms':
        headers['retry-after-ms'] = decimalMs(waitMs);
        break;
      case 'body':
        break;
    }
  }
}
