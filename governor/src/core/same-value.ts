/** Whether two plain values (JSON-like: primitives, arrays, records) are equal in depth, whatever the order of keys. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = b as Readonly<Record<string, unknown>>;
  if (left.length !== Object.keys(b).length) return false;
  return left.every(([name, value]) => Object.hasOwn(right, name) && sameValue(value, right[name]));
}
