/** The controllers that a scenario may name. */

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
