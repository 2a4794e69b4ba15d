/** Why a run has no success any more, and what to change: in words, from the last attempt that ended and the scenario. */

import type { ProviderSettings, QuotaSettings, Scenario } from '../scenario/scenario.js';
import type { RequestSettled } from '../trace/events.js';

export type FailedAttempt = Pick<RequestSettled, 'key' | 'refusedBy' | 'fault' | 'run' | 'agent'>;

/** @param scenario as it is by now: with a timeline, its last values. */
export function whyNever(attempt: FailedAttempt, scenario: Scenario): string {
  const { refusedBy, fault } = attempt;
  if (refusedBy !== undefined) return refusal(attempt.key, refusedBy, scenario);
  if (fault !== undefined) return `the fault ${fault} befalls every answer; lower its rate, or give it an end (to)`;
  return timeout(attempt, scenario);
}

function refusal(key: string, name: string, { providers, governor }: Scenario): string {
  const slash = key.indexOf('/');
  const [provider, model] = [key.slice(0, slash), key.slice(slash + 1)];
  const settings = providers[provider];
  if (name === 'overload')
    return `the provider ${provider} is overloaded whenever it is asked; shorten overload.for, or lower its share`;
  const found = settings && quotaNamed(name, provider, model, settings);
  if (found === undefined) return `"${name}" of ${key} refuses every request; raise it`;
  const { quota, path } = found;
  if (quota.kind === 'ramp') return `the ramp "${name}" refuses every request; raise ${path}.ramp or ${path}.above`;
  const limit = `${path}.${quota.kind}`;
  if (quota.limit === 0) return `quota "${name}" is 0 and refuses every request; raise ${limit}`;
  if (quota.refusedCount) {
    return (
      `quota "${name}" counts what it refuses, and the retries alone use it up; retry later (governor.retry.firstDelay, ` +
      `now ${governor.retry.firstDelayMs} ms), ask less at once, or raise ${limit}, now ${quota.limit}`
    );
  }
  return `quota "${name}" refuses every request; raise ${limit}, now ${quota.limit}, or ask for less at once`;
}

function quotaNamed(
  name: string,
  provider: string,
  model: string,
  { quotas, models }: ProviderSettings,
): { readonly quota: QuotaSettings; readonly path: string } | undefined {
  const places = [
    { path: `providers.${provider}.quotas`, list: quotas },
    { path: `providers.${provider}.models.${model}.quotas`, list: models[model]?.quotas ?? [] },
  ];
  for (const { path, list } of places) {
    const index = list.findIndex((quota) => quota.name === name);
    if (index >= 0) return { quota: list[index] as QuotaSettings, path: `${path}[${index}]` };
  }
  return undefined;
}

function timeout({ run, agent }: FailedAttempt, { workload }: Scenario): string {
  const { runs, arrivals = [], observers = [] } = workload;
  const callers = [...runs, ...arrivals, ...observers];
  const caller = callers.find(({ id }) => id === (run ?? agent) || run?.startsWith(`${id}@`));
  const now = caller?.timeoutMs ? `, now ${caller.timeoutMs} ms` : '';
  return `no answer comes in time; raise the timeout of ${caller?.id ?? 'whoever asks'}${now}, or lower the latency`;
}
