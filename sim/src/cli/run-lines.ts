/** What `sim run` says of a run on a terminal: who ran, what was expected, what came out, how to run it again. */

import { duration, number, percent } from '../results/human-numbers.js';
import { spentWords } from '../results/spent-words.js';
import type { Summary } from '../results/summary.js';
import { verdictWords } from '../results/verdict-words.js';

/** Colours only where a person looks. */
const COLOURED = process.stdout.isTTY === true && process.env.NO_COLOR === undefined;

function coloured(code: number, text: string): string {
  return COLOURED ? `\u001b[${code}m${text}\u001b[0m` : text;
}

export function firstLine({ scenario, seed, controller, mode, version }: Omit<Summary, 'requests'>): string {
  return `${scenario} · seed ${seed} · controller ${controller} · ${mode} · version ${version}`;
}

export function verdictLines(summary: Summary): readonly string[] {
  return summary.expectations.map((result) => {
    const word = result.pass ? coloured(32, 'PASS') : coloured(31, 'FAIL');
    return `  ${word}  ${verdictWords(result, summary)}`;
  });
}

/** For stderr: why a run stopped before its end and what to change, and whether a live run's figures are the client's own. */
export function warnings({ live }: Summary, detail: string | undefined): readonly string[] {
  const client = live?.client;
  return [
    ...(detail === undefined ? [] : [`stopped: ${detail}`]),
    ...(client?.isBottleneck
      ? [
          `warning: this process may be the bottleneck: busy ${percent(client.busy)} of the time, timers up to ${duration(client.lagMs.max)} late; use fewer requests at once or a faster machine`,
        ]
      : []),
  ];
}

export function outcomeLines(summary: Summary): readonly string[] {
  const { requests, refused, makespanMs, keys, live, complete } = summary;
  const work = `${number(requests.succeeded)} of ${number(requests.logical)} requests succeeded in ${duration(makespanMs)}`;
  const refusals = `${number(requests.refused)} of ${number(requests.attempts)} attempts refused (${percent(refused.share)})`;
  const caps = Object.entries(keys).flatMap(([key, { cap }]) =>
    cap.final === null
      ? []
      : [`  ${key}: cap ${cap.initial} → ${cap.final}, between ${cap.min} and ${cap.max}, mean ${number(cap.mean)}`],
  );
  const stopped = complete ? [] : [`  ${coloured(33, 'stopped before its end')}`];
  const spent = live === undefined ? [] : [`  spent: ${spentWords(live.spent)}`];
  const causes = Object.entries(live?.failures ?? {}).map(([cause, count]) => `${number(count)} ${cause}`);
  const failed = causes.length === 0 ? [] : [`  failed attempts: ${causes.join(', ')}`];
  return [`  ${work}; ${refusals}`, ...failed, ...caps, ...spent, ...stopped];
}
