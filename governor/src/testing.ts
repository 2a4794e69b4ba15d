/**
 * For tests of what is built on the governor: `@tidegate/governor/testing`. A clock that moves when told, and the rules
 * that a controller of one's own can be held to, with the scripts and the model behind them. Needs `fast-check`.
 */

export {
  type ControllerProperties,
  type ControllerPropertiesOptions,
  controllerProperties,
  type NamedProperty,
} from './testing/controller-properties.js';
export { ManualClock } from './testing/manual-clock.js';
export { ReferenceModel } from './testing/reference-model.js';
export { checkAsyncProperty, checkProperty, type ReplayOptions } from './testing/replay.js';
export {
  type ControllerCall,
  controllerOptions,
  give,
  type Played,
  play,
  type ScriptedSignal,
  type Step,
  signalScript,
} from './testing/signal-scripts.js';
