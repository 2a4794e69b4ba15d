/** What somebody's factory gave for a key, held to the shape of a controller before anything rests on it. */

import type { ConcurrencyController } from './controller.js';

const METHODS = [
  ...(['canAdmit', 'observed', 'admitted', 'succeeded', 'throttled', 'failed', 'ended'] as const),
  ...(['waiting', 'setGrowthLimit', 'seed', 'snapshot'] as const),
] satisfies readonly (keyof ConcurrencyController)[];

/** @throws TypeError `controller: expected …, got …`, naming the key and what is missing. */
export function checkedController(made: unknown, key: string): ConcurrencyController {
  const what = `a ConcurrencyController for ${JSON.stringify(key)}`;
  if (typeof made !== 'object' || made === null) {
    throw new TypeError(`controller: expected ${what}, got ${made === null ? 'null' : typeof made}`);
  }
  const controller = made as ConcurrencyController;
  const missing = METHODS.filter((method) => typeof controller[method] !== 'function');
  if (missing.length > 0) throw new TypeError(`controller: expected ${what}, got one without ${missing.join(', ')}`);
  const cap: unknown = controller.snapshot()?.cap;
  if (typeof cap === 'number' && cap >= 1) return controller;
  throw new TypeError(`controller: expected ${what} whose snapshot() has a cap ≥ 1, got ${String(cap)}`);
}
