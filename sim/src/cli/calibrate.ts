/** `sim calibrate TRACE`: fits a mock provider to a trace and writes the scenario that it is. */

import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import type { Calibration, KeyFit } from '../calibration/calibrate.js';
import type { FittedDistribution } from '../calibration/fit-distribution.js';
import type { QuotaFit } from '../calibration/fit-quota.js';
import type { FittedScenario } from '../calibration/fitted-scenario.js';
import { duration, number, percent } from '../results/human-numbers.js';
import { Metrics } from '../results/metrics.js';
import type { Figures } from '../results/summary.js';
import { readTrace, TraceError } from '../trace/reader.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { VERSION } from './version.js';

interface Options {
  readonly out?: string;
  readonly json: boolean;
}

const EXAMPLES = `
Only what a client sees is looked at, so any trace will do: simulated, over --loopback, or --live.

Try:
  sim run scenarios/fanout30.yaml
  sim calibrate out/fanout30-1/trace.jsonl`;

export function calibrateCommand(finished: (code: ExitCode) => void): Command {
  return new Command('calibrate')
    .description('Fit a mock provider to a trace: its limits, its hints, its latencies; write a scenario that runs.')
    .argument('<trace>', 'the trace.jsonl of a run')
    .option('--out <file>', 'write the scenario there instead of printing it; an existing file is not replaced')
    .option('--json', 'print the fit alone, for machines', false)
    .addHelpText('after', EXAMPLES)
    .action(async (path: string, options: Options) => finished(await calibrate(path, options)));
}

async function calibrate(path: string, options: Options): Promise<ExitCode> {
  if (options.out !== undefined && existsSync(options.out)) {
    console.error(`${options.out}: is there already; remove it, or choose another --out`);
    return EXIT.usage;
  }
  const [{ Calibrator }, { fittedScenario }] = await Promise.all([
    import('../calibration/calibrate.js'),
    import('../calibration/fitted-scenario.js'),
  ]);
  const calibrator = new Calibrator();
  const metrics = new Metrics();
  try {
    readTrace(path, (event) => {
      calibrator.observe(event);
      metrics.observe(event);
    });
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    console.error(error.message);
    return EXIT.usage;
  }
  const calibration = calibrator.calibration();
  if (calibration.keys.length === 0) {
    console.error(`${path}: nothing was sent in it; there is nothing to fit to`);
    return EXIT.usage;
  }
  const fitted = fittedScenario(calibration);
  const simulated = await simulatedFigures(fitted);
  const comparison = compare(metrics.figures(), simulated);
  say({ calibration, fitted, comparison }, options);
  return write(fitted, options);
}

/** Of the fitted scenario, in virtual time. */
async function simulatedFigures({ scenario }: FittedScenario): Promise<Figures> {
  const [{ run }, { simulatedWorld }] = await Promise.all([import('../run.js'), import('../transport/world.js')]);
  const metrics = new Metrics();
  await run({
    scenario,
    world: simulatedWorld(scenario),
    version: VERSION,
    observe: (event) => metrics.observe(event),
    interrupt: AbortSignal.timeout(LONGEST_MS),
  });
  return metrics.figures();
}

/** Real time for the run of the fitted scenario. */
const LONGEST_MS = 30_000;

interface Compared {
  readonly figure: string;
  readonly measured: number | null;
  readonly fitted: number | null;
  /** How it is written for people. */
  readonly words: (value: number | null) => string;
}

function compare(measured: Figures, fitted: Figures): readonly Compared[] {
  const row = (figure: string, of: (figures: Figures) => number | null, words: Compared['words']): Compared => ({
    figure,
    measured: of(measured),
    fitted: of(fitted),
    words,
  });
  return [
    row('requests', ({ requests }) => requests.logical, number),
    row('refused', ({ refused }) => refused.share, percent),
    row('makespan', ({ makespanMs }) => makespanMs, duration),
    row('first token, p50', ({ latencyMs }) => latencyMs.firstToken.p50, duration),
    row('service, p50', ({ latencyMs }) => latencyMs.service.p50, duration),
    row('service, p95', ({ latencyMs }) => latencyMs.service.p95, duration),
    row('total, p95', ({ latencyMs }) => latencyMs.total.p95, duration),
  ];
}

interface Outcome {
  readonly calibration: Calibration;
  readonly fitted: FittedScenario;
  readonly comparison: readonly Compared[];
}

function say({ calibration, fitted, comparison }: Outcome, { json, out }: Options): void {
  if (json) {
    const { keys } = calibration;
    const figures = comparison.map(({ figure, measured, fitted: simulated }) => ({
      figure,
      measured,
      fitted: simulated,
    }));
    console.log(JSON.stringify({ keys: keys.map(jsonOf), comparison: figures }));
    return;
  }
  const lines = [
    ...calibration.keys.flatMap(keyLines),
    '',
    `${''.padEnd(20)}${'measured'.padStart(12)}${'fitted'.padStart(12)}`,
    ...comparison.map(
      ({ figure, measured, fitted: simulated, words }) =>
        `${figure.padEnd(20)}${words(measured).padStart(12)}${words(simulated).padStart(12)}`,
    ),
  ];
  if (out === undefined) {
    // The scenario is the result; what is told about it goes the other way, so that > FILE holds a scenario.
    console.error(lines.join('\n'));
    console.log(fitted.text.trimEnd());
  } else {
    console.log(lines.join('\n'));
  }
}

function write({ text }: FittedScenario, { out }: Options): ExitCode {
  if (out === undefined) return EXIT.ok;
  try {
    writeFileSync(out, text, { flag: 'wx' });
  } catch (error) {
    console.error(`${out}: cannot be written (${(error as NodeJS.ErrnoException).code}); choose another --out`);
    return EXIT.usage;
  }
  console.error(`written to ${out}; run it: sim run ${out}`);
  return EXIT.ok;
}

function jsonOf({ key, attempts, refusals, quotas, unexplained, hint, latency }: KeyFit): object {
  return {
    ...{ key, attempts, refusals, unexplained, hint, latency },
    quotas: quotas.map(({ best, confidence }) => ({
      kind: best.hypothesis.refill.kind === 'in-flight' ? 'concurrency' : best.hypothesis.cost.kind,
      refill: best.hypothesis.refill.kind === 'in-flight' ? null : best.hypothesis.refill.kind,
      ...{ limit: best.limit, perMs: best.perMs, burst: best.burst },
      range: best.range.map((bound) => (Number.isFinite(bound) ? bound : null)),
      ...{ unexplained: best.errors, evidence: best.evidence, confidence },
    })),
  };
}

function keyLines(fit: KeyFit): readonly string[] {
  const { key, attempts, refusals, quotas, unexplained, hint, latency } = fit;
  const none =
    refusals === 0 ? ['nothing was refused, so no limit shows; run it with more at once'] : ['no limit fits'];
  return [
    `${key}: ${number(attempts)} attempts, ${number(refusals)} refused`,
    ...(quotas.length === 0 ? none : quotas.map(quotaWords)).map((words) => `  limit        ${words}`),
    ...(unexplained > 0
      ? [`  unexplained  ${number(unexplained)} refusals, which no limit that stays the same explains`]
      : []),
    `  retry-after  ${JSON.stringify(hint.retryAfter)}, said by ${percent(hint.agreement)} of the refusals`,
    ...Object.entries(latency).flatMap(([name, one]) => (one === undefined ? [] : [distributionWords(name, one)])),
  ];
}

function quotaWords({ best, confidence, next }: QuotaFit): string {
  const { hypothesis, limit, perMs, burst, errors, evidence } = best;
  const { cost, refill } = hypothesis;
  const what =
    refill.kind === 'in-flight'
      ? `${number(limit)} at once`
      : `${number(limit)} ${cost.kind} per ${duration(perMs)}, ${refill.kind}${burst === null || burst === limit ? '' : ` of ${number(burst)}`}`;
  const doubt =
    next !== undefined && confidence < 0.95
      ? `; else ${next.hypothesis.cost.kind}, ${next.hypothesis.refill.kind}`
      : '';
  return `${what}: explains ${number(Math.floor(evidence - errors))} of ${number(evidence)} attempts, confidence ${percent(confidence)}${doubt}`;
}

const NAMES: Readonly<Record<string, string>> = {
  firstToken: 'first token',
  perOutputToken: 'per token',
  service: 'service',
  refusal: 'refusal',
};

function distributionWords(name: string, { kind, numbers, distance, count }: FittedDistribution): string {
  const parts = Object.entries(numbers).map(([part, ms]) =>
    part === 'value' ? duration(ms) : `${part} ${duration(ms)}`,
  );
  return `  ${(NAMES[name] ?? name).padEnd(13)}${kind} ${parts.join(', ')} (${number(count)} values, off by ${percent(distance)} at most)`;
}
