/** The controllers that a scenario may name, and the modules that make one of its own. */

/** In the order in which messages and help list them. */
export const CONTROLLERS = [
  'aimd',
  'fixed',
  'none',
  'gradient2',
  'vegas',
  'netflix-aimd',
  'arc',
  'true-aimd',
  'pacer',
  'oracle',
] as const;

export type ControllerName = (typeof CONTROLLERS)[number];

/** Of a JavaScript module, relative to the scenario. */
export type ModulePath = `${string}/${string}` | `${string}.${'js' | 'mjs' | 'cjs'}`;

/** What tells a path from a mistyped name. */
export const MODULE_PATTERN: RegExp = /\/|\.[cm]?js$/;

export function isModulePath(written: string): written is ModulePath {
  return MODULE_PATTERN.test(written);
}
