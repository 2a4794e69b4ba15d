/** A distribution as a scenario states it, its numbers already in the unit they are used in (ms, tokens, …). */
export type Distribution =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  | { readonly kind: 'exponential'; readonly mean: number }
  | { readonly kind: 'lognormal'; readonly median: number; readonly p95: number }
  | { readonly kind: 'normal'; readonly mean: number; readonly sd: number }
  | { readonly kind: 'erlang'; readonly k: number; readonly mean: number }
  | { readonly kind: 'pareto'; readonly min: number; readonly alpha: number }
  | { readonly kind: 'empirical'; readonly values: readonly number[] };
