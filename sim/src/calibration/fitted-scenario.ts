/** The scenario that a calibration comes to, as YAML: the work of the trace against the provider that was fitted to it. */

import { stringify } from 'yaml';
import { formatDuration } from '../scenario/duration.js';
import { loadScenario } from '../scenario/load.js';
import type { GovernorSettings, Scenario } from '../scenario/scenario.js';
import { isScenarioName } from '../scenario/schema.js';
import { type Calibration, type KeyFit, writtenDuration } from './calibrate.js';
import type { FittedQuota } from './fit-quota.js';

/** The text, and the scenario that it is. */
export interface FittedScenario {
  readonly text: string;
  readonly scenario: Scenario;
}

/** @throws Error if what was fitted is no scenario, which is a defect. */
export function fittedScenario(calibration: Calibration): FittedScenario {
  const { governor } = calibration.started.scenario as Scenario;
  // What an older or a newer version wrote of its governor may be unknown here; the cap that it began with is not.
  for (const settings of [writtenGovernor(governor), { initial: governor.options.initial ?? 8 }]) {
    const text = textOf(calibration, settings);
    const loaded = loadScenario({ text, readFile: () => '' });
    if (loaded.kind === 'scenario') return { text, scenario: loaded.scenario };
  }
  throw new Error('the fitted scenario is none');
}

function textOf({ started, keys, workload }: Calibration, governor: object): string {
  const { name } = started.scenario as Scenario;
  const fitted = `${name}-fitted`;
  return stringify({
    name: isScenarioName(fitted) ? fitted : 'fitted',
    question: `What would ${name} do if …? Its provider is fitted to a ${started.mode} trace of it.`,
    seed: started.seed,
    governor,
    providers: providers(keys),
    workload,
  });
}

function providers(keys: readonly KeyFit[]): object {
  const byProvider = new Map<string, Record<string, object>>();
  for (const fit of keys) {
    const slash = fit.key.indexOf('/');
    const provider = fit.key.slice(0, slash);
    const models = byProvider.get(provider) ?? {};
    models[fit.key.slice(slash + 1)] = model(fit);
    byProvider.set(provider, models);
  }
  return Object.fromEntries([...byProvider].map(([name, models]) => [name, { models }]));
}

function model({ quotas, hint, latency }: KeyFit): object {
  const { firstToken, perOutputToken, service, refusal } = latency;
  return {
    quotas: quotas.map(({ best }) => writtenQuota(best)),
    retryAfter: hint.retryAfter,
    latency: {
      ...(service && { service: writtenDuration(service) }),
      ...(firstToken && { firstToken: writtenDuration(firstToken) }),
      ...(perOutputToken && { perOutputToken: writtenDuration(perOutputToken) }),
      ...(refusal && { refusal: writtenDuration(refusal) }),
    },
  };
}

export function writtenQuota({ hypothesis: { cost, refill }, limit, perMs, burst }: FittedQuota): object {
  if (refill.kind === 'in-flight') return { concurrency: limit };
  const window = {
    per: formatDuration(perMs ?? 0),
    refill: refill.kind,
    ...(burst !== null && burst !== limit && { burst: Math.max(1, burst) }),
  };
  if (cost.kind === 'requests') return { name: 'requests', requests: limit, ...window };
  return { name: 'tokens', tokens: limit, ...window, counts: cost.counts, reserve: cost.reserve };
}

/** The inverse of how a scenario's governor is read: times are durations, null is unlimited. */
function writtenGovernor({ preset, controller, options, retry }: GovernorSettings): object {
  const named = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => {
    if (value === null) return [name, 'unlimited'];
    if (name.endsWith('Ms') && typeof value === 'number') return [name.slice(0, -2), formatDuration(value)];
    return [name, value];
  };
  return {
    ...{ preset, controller },
    ...Object.fromEntries(Object.entries(options).map(named)),
    retry: Object.fromEntries(Object.entries(retry).map(named)),
  };
}
