/**
 * Durations and their figures: an HDR histogram of microseconds with 3 significant digits for the percentiles, an exact
 * mean and an exact maximum. Memory depends on the range of the durations, not on their number.
 *
 * The histogram's own `recordValue` takes some 200 ns, more than all else that is done per event. So values are counted
 * here by the leading bits of their double (exponent and 10 bits of mantissa), which are exactly the histogram's classes
 * of equivalent values, and the histogram gets each class once, with its count, when the percentiles are asked for.
 */

import { build } from 'hdr-histogram-js';
import { toMicroseconds } from './microseconds.js';

/** In milliseconds; null where nothing was recorded. */
export interface LatencyFigures {
  readonly mean: number | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly max: number | null;
  readonly count: number;
}

/** A double and its two halves; the upper one holds sign, exponent (11 bits) and the first 20 bits of the mantissa. */
const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);
double[0] = 1;
const UPPER = halves[1] === 0 ? 0 : 1;
const DROPPED_BITS = 10;
/** Of the value 1; 0 counts in the class before it. */
const FIRST_CLASS = halves[UPPER]! >>> DROPPED_BITS;
const CLASSES_PER_DOUBLING = 1 << 10;

export class Latency {
  #counts = new Float64Array(1);
  #count = 0;
  #sumUs = 0;
  #maxUs = 0;

  /** @param ms finite, ≥ 0; counts to the microsecond. */
  record(ms: number): void {
    const us = toMicroseconds(ms);
    this.#count++;
    this.#sumUs += us;
    if (us > this.#maxUs) this.#maxUs = us;
    const place = classOf(us);
    if (place >= this.#counts.length) this.#grow(place);
    this.#counts[place]!++;
  }

  figures(): LatencyFigures {
    if (this.#count === 0) return { mean: null, p50: null, p90: null, p95: null, p99: null, max: null, count: 0 };
    const histogram = this.#histogram();
    // The histogram answers with the upper end of a class, which may lie above everything that was recorded.
    const at = (percentile: number): number => Math.min(histogram.getValueAtPercentile(percentile), this.#maxUs) / 1000;
    return {
      mean: this.#sumUs / this.#count / 1000,
      p50: at(50),
      p90: at(90),
      p95: at(95),
      p99: at(99),
      max: this.#maxUs / 1000,
      count: this.#count,
    };
  }

  #histogram() {
    // Of the size it will need: one that grows on the way copies all it has at each step.
    const highestTrackableValue = Math.max(2, this.#maxUs * 2);
    const histogram = build({ bitBucketSize: 64, numberOfSignificantValueDigits: 3, highestTrackableValue });
    for (let place = 0; place < this.#counts.length; place++) {
      const count = this.#counts[place]!;
      if (count > 0) histogram.recordValueWithCount(lowestOf(place), count);
    }
    return histogram;
  }

  #grow(place: number): void {
    const counts = new Float64Array(Math.ceil((place + 1) / CLASSES_PER_DOUBLING) * CLASSES_PER_DOUBLING);
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

function classOf(us: number): number {
  if (us === 0) return 0;
  double[0] = us;
  return (halves[UPPER]! >>> DROPPED_BITS) - FIRST_CLASS + 1;
}

/** The lowest value of a class. */
function lowestOf(place: number): number {
  if (place === 0) return 0;
  halves[UPPER] = (place - 1 + FIRST_CLASS) << DROPPED_BITS;
  halves[1 - UPPER] = 0;
  return double[0]!;
}
