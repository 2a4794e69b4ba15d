/** The plan of a live run in words, shown before anything is sent: how much, at least, expected and at worst. */

import { duration, number } from '../results/human-numbers.js';
import { type Budget, costOf, type Prices } from '../transport/budget.js';
import type { Survey } from './live-survey.js';

export interface LivePlan {
  readonly name: string;
  /** `https://api.example.com/v1`, of which people know the host. */
  readonly baseUrl: string;
  readonly hosts: readonly string[];
  readonly model: string;
  readonly wire: string;
  readonly stream: boolean;
  /** Where the key comes from; null: none is sent. */
  readonly keyFrom: string | null;
  readonly survey: Survey;
  readonly budget: Budget;
  readonly prices: Prices | null;
  readonly notes: readonly string[];
}

type Row = readonly [label: string, low: string, expected: string, worst: string];

export function planLines(plan: LivePlan): readonly string[] {
  const { name, baseUrl, hosts, model, wire, stream, keyFrom, survey, budget, notes } = plan;
  const rows: readonly Row[] = [['', 'at least', 'expected', 'at worst'], ...amounts(plan)];
  const how = `${wire}, ${stream ? 'streamed' : 'whole answers'}, ${keyFrom === null ? 'no key' : `key from ${keyFrom}`}`;
  return [
    `plan of ${name}: ${baseUrl} · model ${model} · ${how}`,
    `  hosts     ${hosts.join(', ')}`,
    ...rows.map(([label, ...cells]) => `  ${label.padEnd(10)}${cells.map((cell) => cell.padStart(14)).join('')}`),
    `  budgets   ${budgetWords(budget, plan.prices)}`,
    ...(isTooSmall(plan) ? ['  note      the budget is below what is expected: the run will be stopped'] : []),
    ...notes.map((note) => `  note      ${note}`),
    ...(survey.isWhole
      ? []
      : ['  note      the scenario is too large to count whole: at least and expected are too low']),
  ];
}

/** Expected: as in virtual time against the scenario's own mock. At worst: as the budgets allow. */
function amounts({ survey, budget, prices }: LivePlan): readonly Row[] {
  const { requests, attempts, inputTokens, outputTokens, largestInput, largestMax } = survey;
  const most = { input: budget.requests * largestInput, output: budget.requests * largestMax };
  const worstTokens = Math.min(most.input + most.output, budget.tokens);
  const cost = (input: number, output: number): string =>
    prices === null ? 'unknown' : `${costOf(prices, input, output).toPrecision(3)} ${prices.currency}`;
  const worstCost = prices === null ? Number.POSITIVE_INFINITY : costOf(prices, most.input, most.output);
  return [
    ['requests', number(requests), number(attempts), number(budget.requests)],
    ['tokens', number(inputTokens + requests), number(inputTokens + outputTokens), number(worstTokens)],
    [
      'cost',
      cost(inputTokens, requests),
      cost(inputTokens, outputTokens),
      prices === null ? 'unknown' : `${Math.min(worstCost, budget.cost).toPrecision(3)} ${prices.currency}`,
    ],
    [
      'duration',
      '–',
      duration(survey.makespanMs),
      budget.timeMs === Number.POSITIVE_INFINITY ? 'no bound' : duration(budget.timeMs),
    ],
  ];
}

function isTooSmall({ survey, budget, prices }: LivePlan): boolean {
  const { attempts, inputTokens, outputTokens } = survey;
  const cost = prices === null ? 0 : costOf(prices, inputTokens, outputTokens);
  return attempts > budget.requests || inputTokens + outputTokens > budget.tokens || cost > budget.cost;
}

function budgetWords({ requests, tokens, cost, timeMs, errors }: Budget, prices: Prices | null): string {
  const bounded = (value: number, words: (value: number) => string): readonly string[] =>
    value === Number.POSITIVE_INFINITY ? [] : [words(value)];
  return [
    `${number(requests)} requests`,
    ...bounded(tokens, (value) => `${number(value)} tokens`),
    ...bounded(cost, (value) => `${value} ${prices?.currency ?? ''}`),
    ...bounded(timeMs, duration),
    `${errors} failures in a row`,
  ].join(', ');
}
