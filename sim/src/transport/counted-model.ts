/** The mock's books as a trace has them. */

import type { LedgerEntry } from '@tidegate/providers-mock';
import type { CountedModel } from '../trace/events.js';

/** Without what a trace tells elsewhere: the tokens are in its settlements. */
export function countedModel({
  admitted,
  refused,
  abandoned,
  peakInFlight,
  inFlight,
  refusedBy,
}: LedgerEntry): CountedModel {
  return { admitted, refused, abandoned, peakInFlight, inFlight, refusedBy };
}
