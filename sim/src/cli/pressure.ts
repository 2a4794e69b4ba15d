/** `sim pressure`: a staircase of ungoverned load against an endpoint, to find how much it takes at ease. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { duration, number } from '../results/human-numbers.js';
import { type PressureFigures, pressureFigures, type StepFigures, StepFold } from '../results/pressure-figures.js';
import { countChart, pressureReport, stepTable } from '../results/pressure-report.js';
import { readDuration } from '../scenario/duration.js';
import type { Budget } from '../transport/budget.js';
import type { LiveSettings } from '../transport/live-setup.js';
import type { Seen } from '../transport/pressure.js';
import { type LiveEndpoint, readEndpoint } from './endpoint.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { listenForInterrupt } from './interrupt.js';
import { consent, settingsOf } from './live.js';
import { addBudgetOptions, addEndpointOptions, type BudgetOptions, type EndpointOptions } from './live-options.js';
import { numberAbove0, wholeNumber } from './option-values.js';
import { refuse } from './refuse.js';
import { quoted } from './replay-command.js';
import { VERSION } from './version.js';

interface Options extends EndpointOptions, BudgetOptions {
  readonly stairs: readonly number[];
  readonly seconds: number;
  readonly shots?: number;
  readonly pause: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly out?: string;
  readonly json: boolean;
}

const EXAMPLES = `
The load is not governed: begin small. With --shots each step is so many single waves; 8 sent, 7 accepted and 1 refused
tell a limit of 7 at once.

Try, each in a terminal of its own:
  sim serve scenarios/fanout30.yaml --port 8080
  sim pressure --base-url http://127.0.0.1:8080/v1 --model large --stairs 2,4,8 --seconds 5`;

export function pressureCommand(finished: (code: ExitCode) => void): Command {
  const command = new Command('pressure')
    .description('Send ungoverned load in steps and see what an endpoint accepts and refuses; asks before it sends.')
    .option('--stairs <widths>', 'requests at once, step by step', widths, [2, 4, 8, 16])
    .option('--seconds <n>', 'how long each step lasts', numberAbove0(86_400), 5)
    .option('--shots <n>', 'send so many single waves per step instead', wholeNumber(1, 9_999_999))
    .option('--pause <d>', 'between steps, and between waves: 2s', pauseMs, 0)
    .option('--input-tokens <n>', 'size of each prompt', wholeNumber(1, 9_999_999), 100)
    .option('--output-tokens <n>', 'size of each answer, and its max_tokens', wholeNumber(1, 9_999_999), 50)
    .option('--out <dir>', 'write report.html, report.md, pressure.png and pressure.json there')
    .option('--json', 'print the figures alone on stdout', false)
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => finished(await pressure(options)));
  return addBudgetOptions(addEndpointOptions(command));
}

const MOST_ERRORS = 10;
/** The default of --max-requests where steps last for a time: so many of each place. */
const MOST_PER_PLACE = 100;

async function pressure(options: Options): Promise<ExitCode> {
  const reading = readEndpoint(options, {}, process.env);
  if (reading.kind === 'problem') return refuse(reading.message);
  const { endpoint } = reading;
  if (endpoint.model === null) return refuse('no model: give --model ID, or set OPENAI_MODEL');
  if (options.maxCost !== undefined) {
    return refuse('--max-cost: nobody knows here what tokens cost; give --max-tokens instead');
  }
  const { model } = endpoint;
  const budget = budgetOf(options);
  console.error(planLines(options, endpoint, budget).join('\n'));
  const interrupt = listenForInterrupt('interrupted: keeping what is there');
  try {
    const refusal = await consent(endpoint, options.yes, interrupt.signal);
    if (refusal !== undefined) return refusal.code;
    const settings = settingsOf(endpoint, { keepTexts: false, budget, prices: null });
    const outcome = await climb(options, settings, model, interrupt.signal);
    if (outcome.kind === 'stopped') {
      console.error(`stopped at the probe: ${outcome.why}`);
      return EXIT.stopped;
    }
    const { figures } = outcome;
    await keep(figures, options, { model, endpoint });
    say(figures, options);
    if (interrupt.signal.aborted) return EXIT.interrupted;
    return figures.complete ? EXIT.ok : EXIT.stopped;
  } finally {
    interrupt.release();
  }
}

type Outcome =
  | { readonly kind: 'climbed'; readonly figures: PressureFigures }
  | { readonly kind: 'stopped'; readonly why: string };

async function climb(
  { stairs, seconds, shots, pause, inputTokens, outputTokens }: Options,
  settings: LiveSettings,
  model: string,
  interrupt: AbortSignal,
): Promise<Outcome> {
  const { openPressure } = await import('../transport/pressure-world.js');
  const asked = { provider: 'endpoint', model, inputTokens, outputTokens, maxTokens: outputTokens };
  const opening = await openPressure(settings, asked, interrupt);
  if (opening.kind === 'stopped') return opening;
  const { world } = opening;
  const steps: StepFigures[] = [];
  try {
    for (const width of stairs) {
      for (let wave = 1; wave <= (shots ?? 1); wave++) {
        if (interrupt.aborted || world.stopped !== undefined) break;
        if (steps.length > 0 && pause > 0) await world.pause(pause, interrupt);
        const fold = new StepFold();
        const length = shots === undefined ? ({ kind: 'seconds', seconds } as const) : ({ kind: 'shot' } as const);
        const tookMs = await world.step(width, length, (seen) => note(fold, seen));
        steps.push(fold.figures(width, shots === undefined ? null : wave, tookMs));
      }
    }
  } finally {
    await world.close();
  }
  return { kind: 'climbed', figures: pressureFigures(steps, world.stopped, interrupt.aborted) };
}

function note(fold: StepFold, seen: Seen): void {
  if (seen.kind === 'accepted') fold.accepted(seen.serviceMs);
  else if (seen.kind === 'refused') fold.refused(seen.serviceMs);
  else fold.failed(seen.cause);
}

function placesOf({ stairs, shots = 1 }: Options): number {
  return shots * stairs.reduce((sum, width) => sum + width, 0);
}

function budgetOf(options: Options): Budget {
  const { maxRequests, maxTokens, maxTime, maxErrors, shots } = options;
  const places = placesOf(options);
  const none = Number.POSITIVE_INFINITY;
  return {
    requests: maxRequests ?? 1 + (shots === undefined ? MOST_PER_PLACE * places : places),
    tokens: maxTokens ?? none,
    cost: none,
    timeMs: maxTime ?? none,
    errors: maxErrors ?? MOST_ERRORS,
  };
}

function planLines(options: Options, { baseUrl, model, wire, proxy }: LiveEndpoint, budget: Budget): readonly string[] {
  const { stairs, seconds, shots, pause, inputTokens, outputTokens } = options;
  const least = placesOf(options) + 1;
  const each = inputTokens + outputTokens;
  const step = shots === undefined ? `${seconds}s each` : `${shots} wave${shots === 1 ? '' : 's'} each`;
  const pauses = (stairs.length * (shots ?? 1) - 1) * pause;
  return [
    `plan of the pressure test: ${baseUrl.url} · model ${model} · ${wire} · nothing governs it`,
    `  hosts     ${baseUrl.host}${proxy === undefined ? '' : ` through the proxy ${proxy.host}`}`,
    `  stairs    ${stairs.join(', ')} at once, ${step}`,
    `  requests  at least ${number(least)}, at most ${number(budget.requests)} (--max-requests)`,
    `  tokens    at least ${number(least * inputTokens)}, at most ${number(Math.min(budget.requests * each, budget.tokens))}`,
    '  cost      unknown',
    `  duration  ${shots === undefined ? `about ${duration(stairs.length * seconds * 1000 + pauses)}` : 'as long as the answers take'}`,
  ];
}

function say(figures: PressureFigures, { json }: Options): void {
  const { steps, comfort, stopped } = figures;
  if (stopped !== null) console.error(`stopped: ${stopped}`);
  if (json) {
    console.log(JSON.stringify(figures));
    return;
  }
  const { columns, rows } = stepTable(steps);
  const header = columns.map(({ label }) => label);
  const size = header.map((label, i) => Math.max(label.length, ...rows.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]): string => cells.map((cell, i) => cell.padStart(size[i] ?? 0)).join('  ');
  console.log([line(header), ...rows.map(line), '', ...bars(steps)].join('\n'));
  console.log(comfort === null ? 'not at ease at any width' : `at ease up to ${comfort} at once`);
}

const BAR = 40;

/** Accepted and refused as bars, the longest as long as there is room. */
function bars(steps: readonly StepFigures[]): readonly string[] {
  const most = Math.max(1, ...steps.map(({ accepted, refused, failed }) => accepted + refused + failed));
  const part = (count: number, sign: string): string => sign.repeat(Math.round((count / most) * BAR));
  return steps.map(
    ({ width, accepted, refused, failed }) =>
      `${String(width).padStart(5)} ${part(accepted, '█')}${part(refused, '░')}${part(failed, '×')} ${accepted} accepted, ${refused} refused${failed > 0 ? `, ${failed} failed` : ''}`,
  );
}

async function keep(
  figures: PressureFigures,
  options: Options,
  { model, endpoint }: { readonly model: string; readonly endpoint: LiveEndpoint },
): Promise<void> {
  const { out } = options;
  if (out === undefined) return;
  const { renderHtml, renderMarkdown, renderPng } = await import('@tidegate/reports');
  const cover = countChart(figures.steps);
  const replay = replayOf(options, endpoint);
  const report = pressureReport({ figures, model, version: VERSION, replay });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'pressure.json'), `${JSON.stringify(figures, null, 2)}\n`);
  writeFileSync(join(out, 'report.html'), renderHtml(report));
  writeFileSync(join(out, 'report.md'), renderMarkdown(report, { images: { [cover.title]: 'pressure.png' } }));
  writeFileSync(join(out, 'pressure.png'), await renderPng(cover));
}

function replayOf({ stairs, seconds, shots, pause }: Options, { baseUrl, model }: LiveEndpoint): string {
  const step = shots === undefined ? ['--seconds', `${seconds}`] : ['--shots', `${shots}`, '--pause', `${pause}ms`];
  const words = [
    'npx',
    'sim',
    'pressure',
    '--base-url',
    baseUrl.url,
    '--model',
    model ?? '',
    '--stairs',
    stairs.join(','),
  ];
  return [...words, ...step].map(quoted).join(' ');
}

function widths(text: string): readonly number[] {
  const values = text.split(',').map((part) => part.trim());
  if (!values.every((part) => /^[1-9]\d{0,3}$/.test(part))) {
    throw new InvalidArgumentError('It is a list of whole numbers from 1 to 9999: 2,4,8,16.');
  }
  return values.map(Number);
}

function pauseMs(text: string): number {
  const reading = readDuration(text);
  if (reading.kind === 'problem') throw new InvalidArgumentError('It is a duration with its unit: 2s, 500ms.');
  return reading.ms;
}
