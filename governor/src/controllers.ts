/** Controllers to compare with: `@tidegate/governor/controllers`. */

export { FixedController } from './core/fixed.js';
