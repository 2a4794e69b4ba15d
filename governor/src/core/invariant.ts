/** A broken promise of this library or of its caller: a defect, never a state of the world. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/** @throws InvariantError with `message` when `holds` is false. Always on: a counter that lies is worse than a crash. */
export function invariant(holds: boolean, message: string): asserts holds {
  if (!holds) throw new InvariantError(message);
}

/** One settlement too many: never clamped, or it would hide for ever. The message is made only where there is the defect. */
export function refuseSettlement(key: string): never {
  throw new InvariantError(`${key}: a request settled with nothing in flight`);
}
