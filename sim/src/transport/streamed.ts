/** Whether the answers of a model are asked for as streams. */

import type { ModelSettings } from '../scenario/scenario.js';

/** One whose whole time alone is known is asked for as a whole. */
export function isStreamed({ latency: { service, secondMode } }: ModelSettings): boolean {
  return service.kind === 'tokens' || secondMode?.service.kind === 'tokens';
}
