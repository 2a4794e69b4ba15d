/** What a live run has spent, in words: `7 requests, 421 tokens, 0.00123 USD`. Nothing is rounded but money. */

import type { LiveFigures } from './live-figures.js';

export function spentWords(spent: LiveFigures['spent']): string {
  if (spent === null) return 'unknown: the trace has no end';
  const { requests, inputTokens, outputTokens, cost, currency } = spent;
  const whole = (value: number): string => value.toLocaleString('en');
  return [
    `${whole(requests)} request${requests === 1 ? '' : 's'}`,
    `${whole(inputTokens + outputTokens)} tokens`,
    cost === null ? 'cost unknown' : `${Number(cost.toPrecision(3))} ${currency}`,
  ].join(', ');
}
