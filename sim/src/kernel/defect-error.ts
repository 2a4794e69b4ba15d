/** A rule that only a bug of the simulator can break; never the fault of a scenario, and never to be caught and ignored. */
export class DefectError extends Error {
  override readonly name = 'DefectError';
}
