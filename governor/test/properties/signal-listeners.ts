/** Counts the listeners of every AbortSignal where they are added and removed, while a property runs. */

export interface SignalListeners {
  of(signal: AbortSignal): number;
  stop(): void;
}

export function countSignalListeners(): SignalListeners {
  const counts = new Map<AbortSignal, number>();
  const { addEventListener, removeEventListener } = AbortSignal.prototype;
  AbortSignal.prototype.addEventListener = function (this: AbortSignal, ...given: unknown[]) {
    counts.set(this, (counts.get(this) ?? 0) + 1);
    return Reflect.apply(addEventListener, this, given);
  };
  AbortSignal.prototype.removeEventListener = function (this: AbortSignal, ...given: unknown[]) {
    counts.set(this, (counts.get(this) ?? 0) - 1);
    return Reflect.apply(removeEventListener, this, given);
  };
  return {
    of: (signal) => counts.get(signal) ?? 0,
    stop() {
      AbortSignal.prototype.addEventListener = addEventListener;
      AbortSignal.prototype.removeEventListener = removeEventListener;
    },
  };
}
