/** For tests of what is built on the governor: `@tidegate/governor/testing`. */

export { ManualClock } from './testing/manual-clock.js';
