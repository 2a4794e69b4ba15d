/**
 * Episodes in which the provider refuses whoever comes, whatever they ask and however little: its own state, not a limit
 * of the caller. They come and go by themselves and begin with quiet.
 */

import { type EpisodesSpec, SHORTEST_MEAN_MS } from './changing-limit.js';
import { Episodes } from './episodes.js';
import type { Random } from './luck.js';
import type { OverloadStatus } from './verdict.js';

export interface OverloadSpec extends EpisodesSpec {
  /** The share of requests that an episode refuses; above 0, at most 1. */
  readonly share: number;
  readonly status: OverloadStatus;
}

/** The name under which it refuses. */
export const OVERLOAD = 'overload';

export class Overload {
  readonly #spec: OverloadSpec;
  readonly #episodes: Episodes;
  readonly #share: Random;

  /** @throws RangeError naming the option, its value and what is allowed. */
  constructor(spec: OverloadSpec, episodes: Random, share: Random) {
    checkMean('everyMs', spec.everyMs);
    checkMean('forMs', spec.forMs);
    check('share', spec.share, spec.share > 0 && spec.share <= 1, 'above 0 and at most 1');
    check('status', spec.status, spec.status === 503 || spec.status === 529, '503 or 529');
    this.#spec = spec;
    this.#episodes = new Episodes(spec, episodes);
    this.#share = share;
  }

  get status(): OverloadStatus {
    return this.#spec.status;
  }

  /** Whether an episode is under way; draws nothing for the request that asks. */
  isOn(nowUs: number): boolean {
    return this.#episodes.isOn(nowUs);
  }

  /** Whether it refuses a request that comes now. One number is drawn for each, so that a share shifts no later one. */
  refuses(nowUs: number): boolean {
    const isHit = this.#share() < this.#spec.share;
    return this.#episodes.isOn(nowUs) && isHit;
  }
}

function checkMean(option: string, ms: number): void {
  check(option, ms, ms >= SHORTEST_MEAN_MS && Number.isFinite(ms), `at least ${SHORTEST_MEAN_MS} and finite`);
}

function check(option: string, value: number, isAllowed: boolean, allowed: string): void {
  if (!isAllowed) throw new RangeError(`overload: ${option} must be ${allowed}, got ${value}`);
}
