/** Controllers to compare with: `@tidegate/governor/controllers`. Each is an algorithm of its own, with its source. */

export { ArcController, type ArcOptions } from './core/arc.js';
export { FixedController } from './core/fixed.js';
export { Gradient2Controller, type Gradient2Options } from './core/gradient2.js';
export { LimitController, type LimitDefaults, type LimitOptions } from './core/limit-controller.js';
export type { Evidence, LimitLaw } from './core/limit-law.js';
export { NetflixAimdController, type NetflixAimdOptions } from './core/netflix-aimd.js';
export { TrueAimdController, type TrueAimdOptions } from './core/true-aimd.js';
export { VegasController, type VegasOptions } from './core/vegas.js';
