/**
 * What comes before a live run: the endpoint, the plan, the consent, the probe. Either a world to run in comes out, or the
 * exit code of a run that does not take place, its reason said on stderr.
 */

import type { Scenario } from '../scenario/scenario.js';
import { splitTarget } from '../scenario/target.js';
import type { Budget } from '../transport/budget.js';
import { liveScenario } from '../transport/live-scenario.js';
import type { LiveSettings } from '../transport/live-setup.js';
import type { World } from '../transport/world.js';
import { canAsk, confirm } from './confirm.js';
import { type LiveEndpoint, readEndpoint } from './endpoint.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { BudgetOptions, EndpointOptions } from './live-options.js';
import { planLines } from './live-plan.js';
import { type Survey, survey } from './live-survey.js';
import { VERSION } from './version.js';

export interface LiveOptions extends EndpointOptions, BudgetOptions {
  readonly keepPrompts: boolean;
}

export type LivePreparation =
  | { readonly kind: 'ready'; readonly scenario: Scenario; readonly world: World }
  | { readonly kind: 'none'; readonly code: ExitCode };

/** The default of --max-requests: every request may be refused nine times and has an end. */
const MOST_ATTEMPTS = 10;
const MOST_ERRORS = 10;
/** A model that is loaded first takes long for its first answer. */
const PROBE_MS = 60_000;
const NO_BOUND = Number.POSITIVE_INFINITY;

export async function prepareLive(
  written: Scenario,
  options: LiveOptions,
  interrupt: AbortSignal,
): Promise<LivePreparation> {
  const reading = readEndpoint(options, written.live ?? {}, process.env);
  if (reading.kind === 'problem') return refuse(reading.message);
  const { endpoint } = reading;
  const prices = written.live?.prices ?? null;
  if (options.maxCost !== undefined && prices === null) {
    return refuse(
      '--max-cost: nobody knows what tokens cost; give live.prices in the scenario, or --max-tokens instead',
    );
  }
  const { scenario, notes } = liveScenario(written);
  const surveyed = await survey(written, VERSION);
  if (interrupt.aborted) return { kind: 'none', code: EXIT.interrupted };
  const { first } = surveyed;
  if (first === undefined) return refuse('the scenario asks for nothing; there is nothing to send');
  const budget = budgetOf(options, surveyed);
  const { proxy } = endpoint;
  const plan = planLines({
    name: scenario.name,
    baseUrl: endpoint.baseUrl.url,
    hosts: proxy === undefined ? [endpoint.baseUrl.host] : [`${endpoint.baseUrl.host} through the proxy ${proxy.host}`],
    model: endpoint.model ?? modelsOf(surveyed).join(', '),
    wire: endpoint.wire,
    stream: endpoint.stream,
    keyFrom: endpoint.keyFrom,
    ...{ survey: surveyed, budget, prices },
    notes: [
      ...notes,
      ...sharingNotes(endpoint, surveyed),
      ...(endpoint.apiKey !== null && endpoint.baseUrl.isPlain && !endpoint.baseUrl.isLoopback
        ? ['the key goes over plain http: everybody on the way can read it; https would keep it to the endpoint']
        : []),
      ...(options.keepPrompts ? ['prompts and answers are kept in the trace'] : []),
    ],
  });
  console.error(plan.join('\n'));
  const refusal = await consent(endpoint, options.yes, interrupt);
  if (refusal !== undefined) return refusal;
  console.error(`one probe goes first; its answer may take up to ${PROBE_MS / 1000} s`);
  const { openLive } = await import('../transport/live-world.js');
  const opening = await openLive(
    scenario,
    settingsOf(endpoint, { keepTexts: options.keepPrompts, budget, prices }),
    first,
    interrupt,
  );
  if (opening.kind === 'stopped') {
    console.error(`stopped at the probe: ${opening.why}`);
    return { kind: 'none', code: EXIT.stopped };
  }
  if (opening.kind === 'interrupted') {
    console.error('interrupted at the probe: the run has not begun, and nothing is written');
    return { kind: 'none', code: EXIT.interrupted };
  }
  if (opening.isRefused)
    console.error('the probe was refused for now; going on, since a refusal is what the run is about');
  return { kind: 'ready', scenario, world: opening.world };
}

function modelsOf({ targets }: Survey): readonly string[] {
  return [...new Set(targets.map((target) => splitTarget(target).model))];
}

/** Each target has a cap of its own, also where the endpoint knows but one. */
function sharingNotes({ model }: LiveEndpoint, { targets }: Survey): readonly string[] {
  if (targets.length < 2) return [];
  const asked = targets.join(', ');
  const providers = new Set(targets.map((target) => splitTarget(target).provider));
  if (model !== null)
    return [`${asked} are all asked as ${model}: its limits are one, and each of them has a cap of its own`];
  return providers.size > 1 ? [`${asked} are all asked at this base URL, each with a cap of its own`] : [];
}

/** Undefined where the run may take place. This machine needs no consent. */
export async function consent(
  { baseUrl }: LiveEndpoint,
  isGiven: boolean,
  interrupt: AbortSignal,
): Promise<Extract<LivePreparation, { kind: 'none' }> | undefined> {
  if (isGiven || baseUrl.isLoopback) return undefined;
  if (!canAsk())
    return refuse(`nothing was sent: there is no terminal to ask on; say --yes to send to ${baseUrl.host}`);
  if (await confirm(`send this to ${baseUrl.host}?`, interrupt)) return undefined;
  if (interrupt.aborted) return { kind: 'none', code: EXIT.interrupted };
  return refuse('nothing was sent');
}

function refuse(message: string): Extract<LivePreparation, { kind: 'none' }> {
  console.error(message);
  return { kind: 'none', code: EXIT.usage };
}

function budgetOf(
  { maxRequests, maxTokens, maxCost, maxTime, maxErrors }: BudgetOptions,
  { requests }: Survey,
): Budget {
  return {
    requests: maxRequests ?? MOST_ATTEMPTS * requests + 1,
    tokens: maxTokens ?? NO_BOUND,
    cost: maxCost ?? NO_BOUND,
    timeMs: maxTime ?? NO_BOUND,
    errors: maxErrors ?? MOST_ERRORS,
  };
}

export function settingsOf(
  { baseUrl, wire, model, apiKey, stream, maxTokensField, proxies, proxy }: LiveEndpoint,
  spent: Pick<LiveSettings, 'budget' | 'prices' | 'keepTexts'>,
): LiveSettings {
  return {
    ...{ baseUrl: baseUrl.url, wire, model, apiKey, stream, maxTokensField, proxies },
    proxyVariable: proxy?.variable,
    probeMs: PROBE_MS,
    ...spent,
  };
}
