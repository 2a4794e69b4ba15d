/** A rule of the kernel that only a bug of its user can break; never the fault of a scenario, and never to be caught and ignored. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}
