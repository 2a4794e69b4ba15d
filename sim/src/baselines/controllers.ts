/**
 * From a scenario's controller, a name, to what makes one per key. The option names of a scenario are the reference's: a
 * controller with a law of its own takes the bounds of the cap and the idle reset from them, and its constants from itself.
 */

import { type ConcurrencyController, resolveAimdOptions } from '@tidegate/governor';
import {
  ArcController,
  FixedController,
  Gradient2Controller,
  type LimitOptions,
  NetflixAimdController,
  TrueAimdController,
  VegasController,
} from '@tidegate/governor/controllers';
import type { ControllerName, ModulePath } from '../scenario/controllers.js';
import type { GovernorNumbers, Scenario } from '../scenario/scenario.js';
import { splitTarget } from '../scenario/target.js';
import type { World } from '../transport/world.js';
import type { Lookout } from '../workload/run-context.js';
import { KnowingController } from './knowing-controller.js';
import { Oracle } from './oracle.js';
import { Pacer } from './pacer.js';

/** Makes the controller of a key, `provider/model`. */
export type MakeController = (key: string) => ConcurrencyController;

/** What governs a run. */
export interface Baseline {
  /** Undefined: the governor's own, from its options. */
  readonly make: MakeController | undefined;
  /** Where a cap starts; null where nothing governs. */
  readonly initial: number | null;
  /** How far a cap may climb where no run asks for more; undefined: as the options of the governor say. */
  readonly growthLimit?: number;
  /** Told of every attempt, since it knows more than the governor does. */
  readonly lookout?: Lookout;
}

/**
 * @param module what the scenario's module makes, where it names one.
 * @throws RangeError where the controller needs a provider that can be looked into, or a module, and there is none.
 */
export function baselineOf(
  scenario: Scenario,
  { transport, scheduler }: Pick<World, 'transport' | 'scheduler'>,
  module?: MakeController,
): Baseline {
  const { controller, options } = scenario.governor;
  const { initial } = resolveAimdOptions({ ...options, key: 'any' });
  switch (controller) {
    case 'aimd':
      return { make: undefined, initial };
    case 'none':
      return { make: (key) => new FixedController({ key, cap: Number.POSITIVE_INFINITY }), initial: null };
    case 'oracle':
      return knowing(new Oracle(scenario, transport), initial);
    case 'pacer':
      return knowing(new Pacer(scenario, () => scheduler.now()), initial);
    default:
      return learning(makerOf(controller, options, initial, module));
  }
}

function makerOf(
  controller: Exclude<ControllerName, 'aimd' | 'none' | 'oracle' | 'pacer'> | ModulePath,
  options: GovernorNumbers,
  initial: number,
  module: MakeController | undefined,
): MakeController {
  switch (controller) {
    case 'fixed':
      return (key) => new FixedController({ key, cap: initial });
    case 'gradient2':
      return (key) => new Gradient2Controller(limitOptions(key, options));
    case 'vegas':
      return (key) => new VegasController(limitOptions(key, options));
    case 'netflix-aimd':
      return (key) => new NetflixAimdController(limitOptions(key, options));
    case 'arc':
      return (key) => new ArcController(limitOptions(key, options));
    case 'true-aimd':
      return (key) => new TrueAimdController(limitOptions(key, options));
    default:
      if (module === undefined) throw new RangeError(`controller: the module ${controller} is not loaded`);
      return module;
  }
}

/** Where a cap starts and ends is its own to say. */
function learning(make: MakeController): Baseline {
  const { cap, growthLimit } = make('any/model').snapshot();
  const initial = cap === Number.POSITIVE_INFINITY ? null : cap;
  if (growthLimit === cap) return { make, initial };
  return { make, initial, growthLimit: Math.min(growthLimit, Number.MAX_SAFE_INTEGER) };
}

function knowing(sage: Oracle | Pacer, initial: number): Baseline {
  const make: MakeController = (key) => new KnowingController(key, initial, sage.of(splitTarget(key)));
  return { make, initial, growthLimit: Number.MAX_SAFE_INTEGER, lookout: sage };
}

function limitOptions(key: string, { initial, growthLimit, floor, idleResetMs }: GovernorNumbers): LimitOptions {
  return {
    key,
    ...(initial !== undefined && { initial }),
    ...(growthLimit !== undefined && { growthLimit }),
    ...(floor !== undefined && { floor }),
    ...(idleResetMs !== undefined && { idleResetMs }),
  };
}
