/**
 * A controller out of somebody's own module: its default export is a function from a key to a controller, or the class of
 * one. The only file that loads code for a scenario; what is wrong with it is an error in words fit for a problem.
 */

import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type ConcurrencyController, createGovernor } from '@tidegate/governor';
import type { GovernorNumbers } from '../scenario/scenario.js';
import type { MakeController } from './controllers.js';

type ControllerClass = new (options: GovernorNumbers & { readonly key: string }) => ConcurrencyController;

/**
 * @param path of the module, from where the process is.
 * @param options of the governor, as the scenario states them: what a class is made with, besides its key.
 * @throws Error that says what to change.
 */
export async function loadController(path: string, options: GovernorNumbers): Promise<MakeController> {
  const make = makerOf(await defaultOf(path), options);
  try {
    // A governor checks what it is given with the first use of a key.
    const governor = createGovernor({ controller: make, clock: { now: () => 0, schedule: () => () => {} } });
    governor.tryAcquire({ provider: 'any', model: 'model' });
  } catch (error) {
    throw new Error(`its default export makes no controller: ${firstLine(error)}`);
  }
  return make;
}

async function defaultOf(path: string): Promise<unknown> {
  if (!existsSync(path)) throw new Error('no such file');
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    throw new Error(`it does not load: ${firstLine(error)}`);
  }
}

function makerOf(exported: unknown, options: GovernorNumbers): MakeController {
  if (typeof exported !== 'function') {
    const got = exported === undefined ? 'has none' : `is of type ${typeof exported}`;
    throw new Error(`expected a default export that is (key) => controller or the class of one; it ${got}`);
  }
  if (typeof exported.prototype?.canAdmit !== 'function') return exported as MakeController;
  const Controller = exported as ControllerClass;
  return (key) => new Controller({ ...options, key });
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] as string;
}
