/** The figures of a pressure test: what each step came to, and up to which width the endpoint was at ease. */

import { Latency, type LatencyFigures } from './latency.js';

export interface StepFigures {
  /** Requests at once. */
  readonly width: number;
  /** Number of the wave, where single waves were sent; else null. */
  readonly wave: number | null;
  readonly accepted: number;
  readonly refused: number;
  readonly failed: number;
  readonly acceptedPerSecond: number | null;
  /** Dispatch to answer: of what was accepted, and of what was refused. */
  readonly latencyMs: { readonly accepted: LatencyFigures; readonly refused: LatencyFigures };
  /** Of the failures. */
  readonly causes: Readonly<Record<string, number>>;
}

export interface PressureFigures {
  readonly steps: readonly StepFigures[];
  /** The widest step up to which nothing was refused and answers took at most twice as long as in the first; null: none. */
  readonly comfort: number | null;
  /** The safety rail that ended it; null where it came to its end. */
  readonly stopped: string | null;
  readonly complete: boolean;
}

export class StepFold {
  readonly #accepted = new Latency();
  readonly #refused = new Latency();
  readonly #causes = new Map<string, number>();
  #failed = 0;

  accepted(serviceMs: number): void {
    this.#accepted.record(serviceMs);
  }

  refused(serviceMs: number): void {
    this.#refused.record(serviceMs);
  }

  failed(cause: string): void {
    this.#failed++;
    this.#causes.set(cause, (this.#causes.get(cause) ?? 0) + 1);
  }

  figures(width: number, wave: number | null, tookMs: number): StepFigures {
    const [accepted, refused] = [this.#accepted.figures(), this.#refused.figures()];
    return {
      ...{ width, wave, accepted: accepted.count, refused: refused.count, failed: this.#failed },
      acceptedPerSecond: tookMs > 0 ? accepted.count / (tookMs / 1000) : null,
      latencyMs: { accepted, refused },
      causes: Object.fromEntries([...this.#causes].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }
}

/** @param stopped the safety rail that ended it. */
export function pressureFigures(
  steps: readonly StepFigures[],
  stopped: string | undefined,
  isInterrupted: boolean,
): PressureFigures {
  return {
    steps,
    comfort: comfortOf(steps),
    stopped: stopped ?? null,
    complete: stopped === undefined && !isInterrupted,
  };
}

/** A queue shows in the times before anything is refused. */
const SLOWER = 2;

function comfortOf(steps: readonly StepFigures[]): number | null {
  const calm = steps[0]?.latencyMs.accepted.p50 ?? null;
  if (calm === null) return null;
  let widest: number | null = null;
  for (const { width, refused, failed, latencyMs } of steps) {
    const { p50 } = latencyMs.accepted;
    if (refused + failed > 0 || p50 === null || p50 > SLOWER * calm) break;
    widest = width;
  }
  return widest;
}
