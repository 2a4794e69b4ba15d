/** What requests of any kind state: where they go, and how large they are. Part of `Scenario`, plain JSON as that is. */

import type { Distribution } from '../kernel/distribution.js';

export interface TargetSettings {
  readonly provider: string;
  readonly model: string;
}

export interface TokensSettings {
  readonly input: Distribution;
  readonly output: Distribution;
  /** The `max_tokens` sent with each request; null = the request's own output. */
  readonly max: number | null;
}
