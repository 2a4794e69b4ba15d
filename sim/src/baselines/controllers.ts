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
import type { GovernorNumbers, GovernorSettings } from '../scenario/scenario.js';

/** Makes the controller of a key, `provider/model`. */
export type MakeController = (key: string) => ConcurrencyController;

/** Undefined: the governor's own, from its options. */
export function controllerOf({ controller, options }: GovernorSettings): MakeController | undefined {
  switch (controller) {
    case 'aimd':
      return undefined;
    case 'fixed': {
      const cap = options.initial ?? resolveAimdOptions({ key: 'any' }).initial;
      return (key) => new FixedController({ key, cap });
    }
    case 'none':
      return (key) => new FixedController({ key, cap: Number.POSITIVE_INFINITY });
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
      return controller satisfies never;
  }
}

/** What the checks of a trace rest on: where a cap starts, and how far it may climb where no run asks for more. */
export interface CapFacts {
  /** Null where nothing governs. */
  readonly initial: number | null;
  /** Omitted: as the options of the governor say. */
  readonly growthLimit?: number;
}

export function capFactsOf(settings: GovernorSettings, make: MakeController | undefined): CapFacts {
  if (settings.controller === 'none') return { initial: null };
  if (make === undefined) return { initial: resolveAimdOptions({ ...settings.options, key: 'any' }).initial };
  const { cap, growthLimit } = make('any/model').snapshot();
  return growthLimit === cap ? { initial: cap } : { initial: cap, growthLimit };
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
