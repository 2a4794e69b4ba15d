/** Another limit at certain times of the day: peak hours. Knows the time of day at the origin of the told time. */

import type { ScheduleEntry } from './changing-limit.js';
import type { LimitCourse } from './limit-course.js';

const DAY_US = 86_400_000_000;

export class DailySchedule implements LimitCourse {
  readonly #entries: readonly { readonly fromUs: number; readonly toUs: number; readonly limit: number }[];
  readonly #startsAtUs: number;
  #changesAtUs = 0;

  /** @param startsAtMs the time of day, in ms after midnight UTC, at which the told time is 0. */
  constructor(entries: readonly ScheduleEntry[], startsAtMs: number) {
    this.#entries = entries.map(({ fromMs, toMs, limit }) => ({ fromUs: fromMs * 1000, toUs: toMs * 1000, limit }));
    this.#startsAtUs = startsAtMs * 1000;
  }

  get changesAtUs(): number {
    return this.#changesAtUs;
  }

  limitAt(nowUs: number, given: number): number {
    const dayUs = (this.#startsAtUs + nowUs) % DAY_US;
    const boundaries = this.#entries.flatMap(({ fromUs, toUs }) => [fromUs, toUs]);
    this.#changesAtUs = nowUs + Math.min(...boundaries.map((us) => (us > dayUs ? us - dayUs : us - dayUs + DAY_US)));
    const entry = this.#entries.find(({ fromUs, toUs }) =>
      fromUs < toUs ? dayUs >= fromUs && dayUs < toUs : dayUs >= fromUs || dayUs < toUs,
    );
    return entry?.limit ?? given;
  }

  highest(given: number): number {
    return Math.max(given, ...this.#entries.map(({ limit }) => limit));
  }
}
