/** What the process's exit code says. Of several reasons the highest of this order counts: 130, 3, 4, 1, 0. */
export const EXIT = {
  ok: 0,
  expectationFailed: 1,
  /** Bad usage or a bad scenario: nothing was run. */
  usage: 2,
  invariantBroken: 3,
  /** The run was stopped before its end. */
  stopped: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const PRECEDENCE: readonly ExitCode[] = [
  EXIT.ok,
  EXIT.expectationFailed,
  EXIT.stopped,
  EXIT.invariantBroken,
  EXIT.interrupted,
];

/** The code that outweighs the other. */
export function worse(a: ExitCode, b: ExitCode): ExitCode {
  return PRECEDENCE.indexOf(a) >= PRECEDENCE.indexOf(b) ? a : b;
}
