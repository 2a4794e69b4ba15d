/**
 * What is put together field by field before it is given away. Events and snapshots leave out what is unset; a literal
 * that spreads each such field, or not, costs many times as much as all else of a refusal.
 */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };
