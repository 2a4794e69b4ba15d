/** The tables of a run's report. */

import type { Table } from '@tidegate/reports';
import { duration, NO_VALUE, number, percent } from './human-numbers.js';
import type { LatencyFigures } from './latency.js';
import type { LiveFigures } from './live-figures.js';
import { spentWords } from './spent-words.js';
import type { KeyFigures, ProviderFigures, RunFigures, Summary } from './summary.js';

export function keyTable(name: string, key: KeyFigures, provider: ProviderFigures | undefined): Table {
  const { initial, min, mean, max, final } = key.cap;
  const cap: readonly (readonly [string, string])[] =
    initial === null
      ? [['Cap', NO_VALUE]]
      : [
          ['Cap: initial, final', `${number(initial)}, ${number(final)}`],
          ['Cap: lowest, mean, highest', `${number(min)}, ${number(mean)}, ${number(max)}`],
          ['Cuts, raises, idle resets', `${number(key.cuts)}, ${number(key.raises)}, ${number(key.idleResets)}`],
          ['Epochs', number(key.epochs)],
          ['Time in cooldown', duration(key.cooldownMs)],
        ];
  return {
    caption: `${name} in numbers`,
    columns: [
      { label: 'Figure', numeric: false },
      { label: 'Value', numeric: true },
    ],
    rows: [
      ...cap,
      ['In flight: mean, most', `${number(key.inFlight.mean)}, ${number(key.inFlight.max)}`],
      ['Waiting: mean, most', `${number(key.queue.mean)}, ${number(key.queue.max)}`],
      ...providerRows(provider),
    ],
  };
}

function providerRows(provider: ProviderFigures | undefined): readonly (readonly [string, string])[] {
  if (provider === undefined) return [];
  const { admitted, refused, peakInFlight, refusedBy } = provider;
  return [
    ['Admitted, refused by the provider', `${number(admitted)}, ${number(refused)}`],
    ['At the provider at once, most', number(peakInFlight)],
    ...Object.entries(refusedBy).map(([quota, count]) => [`Refused by quota ${quota}`, number(count)] as const),
  ];
}

export function latencyTable(latency: Summary['latencyMs']): Table {
  const row = (label: string, { count, mean, p50, p90, p95, p99, max }: LatencyFigures): readonly string[] => [
    ...[label, number(count)],
    ...[mean, p50, p90, p95, p99, max].map(duration),
  ];
  return {
    caption: 'Latencies',
    columns: [
      { label: 'Latency', numeric: false },
      ...['Count', 'Mean', 'p50', 'p90', 'p95', 'p99', 'Max'].map((label) => ({ label, numeric: true })),
    ],
    rows: [
      row('Wait for admission, per attempt', latency.wait),
      row('Service, per answered attempt', latency.service),
      row('Total, per succeeded request', latency.total),
      row('First token, per succeeded request', latency.firstToken),
    ],
  };
}

export function runTable(runs: Readonly<Record<string, RunFigures>>): Table {
  const columns = [
    'Subagents',
    'Bound',
    'Makespan',
    'Effective: lowest',
    'Effective: mean',
    'Waited in all',
    'Cached asks',
  ];
  return {
    caption: 'Runs',
    columns: [{ label: 'Run', numeric: false }, ...columns.map((label) => ({ label, numeric: true }))],
    rows: Object.entries(runs).map(([id, run]) => [
      ...[id, number(run.agents), number(run.bound), duration(run.makespanMs)],
      ...[number(run.effective.min), number(run.effective.mean), duration(run.waitMs), number(run.cacheHits)],
    ]),
  };
}

/** What only a live run tells. */
export function liveTable({ spent, tokens, latencyMs, rate, failures, client }: LiveFigures): Table {
  const perSecond = (value: number | null): string => number(value === null ? null : Number(value.toPrecision(3)));
  const { firstAnswer, gap, longestGap } = latencyMs;
  const times = ({ p50, p95 }: LatencyFigures): string => `${duration(p50)}, ${duration(p95)}`;
  const clientRows: readonly (readonly [string, string])[] =
    client === null
      ? []
      : [
          ['Spent, the probe included', spentWords(spent)],
          ['CPU of the client, per request', duration(client.cpuMsPerRequest)],
          ['Client: busy, timers late (p99)', `${percent(client.busy)}, ${duration(client.lagMs.p99)}`],
          ['The client may be the bottleneck', client.isBottleneck ? 'yes' : 'no'],
        ];
  return {
    caption: 'Live',
    columns: [
      { label: 'Figure', numeric: false },
      { label: 'Value', numeric: true },
    ],
    rows: [
      ['Answers with their tokens stated, estimated', `${number(tokens.stated)}, ${number(tokens.estimated)}`],
      ['Reasoning tokens', number(tokens.reasoning)],
      ['First token after reasoning: p50, p95', times(firstAnswer)],
      ['Gap between arrivals: p50, p95', times(gap)],
      ['Longest gap of a stream: p50, p95', times(longestGap)],
      ['Requests a second: asked, achieved', `${perSecond(rate.asked)}, ${perSecond(rate.achieved)}`],
      ...Object.entries(failures).map(([cause, count]) => [`Failed: ${cause}`, number(count)] as const),
      ...clientRows,
    ],
  };
}
