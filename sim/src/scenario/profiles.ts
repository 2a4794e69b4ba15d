/**
 * Profiles written out: a provider that names one gets the profile's fields in the words of the scenario language, those
 * that it states itself excepted. From there on it is a provider like any other, so that every field can be checked,
 * overridden and changed by a timeline. Applied twice it changes nothing more.
 */

import {
  isProfileName,
  type LatencyProfile,
  type ModelProfile,
  modelProfile,
  type Profile,
  profileOf,
  type QuotaSpec,
  type RetryAfterSpec,
  type ServerSpec,
} from '@tidegate/providers-mock';
import { asMapping, entriesOf, type Mapping, valueAt, withValue } from './raw-data.js';

/** @param data A scenario as written. What is wrong in it stays as it is. */
export function withProfiles(data: unknown): unknown {
  return entriesOf(valueAt(data, ['providers'])).reduce<unknown>((written, [name, provider]) => {
    const fields = asMapping(provider);
    const profile = fields?.profile;
    if (fields === undefined || typeof profile !== 'string' || !isProfileName(profile)) return written;
    return withValue(written, ['providers', name], writtenOut(fields, profileOf(profile)));
  }, data);
}

function writtenOut(fields: Mapping, profile: Profile): Mapping {
  const { wire, quotas, models } = profile;
  const own = 'models' in fields ? fields.models : Object.fromEntries(Object.keys(models).map((name) => [name, {}]));
  return {
    wire,
    quotas: quotas.map(({ value }) => writtenQuota(value)),
    ...fields,
    models: asMapping(own) === undefined ? own : modelsWrittenOut(asMapping(own) as Mapping, profile),
  };
}

function modelsWrittenOut(models: Mapping, profile: Profile): Mapping {
  return Object.fromEntries(
    Object.entries(models).map(([name, written]) => {
      const fields = asMapping(written);
      return [name, fields === undefined ? written : modelWrittenOut(fields, modelProfile(profile, name))];
    }),
  );
}

function modelWrittenOut(fields: Mapping, { quotas, retryAfter, latency, server, keepAlive }: ModelProfile): Mapping {
  const times = latency && writtenLatency(latency.value);
  return {
    quotas: quotas.map(({ value }) => writtenQuota(value)),
    retryAfter: writtenHint(retryAfter.value),
    ...fields,
    ...(server && { server: mergedServer(server.value, keepAlive?.value, fields.server) }),
    ...(times && { latency: mergedLatency(times, fields.latency) }),
  };
}

function mergedServer({ slots, queue }: ServerSpec, keepAliveMs: number | undefined, own: unknown): unknown {
  const whole = { slots, queue: queue ?? 'unlimited', ...(keepAliveMs && { keepAlive: duration(keepAliveMs) }) };
  const fields = own === undefined ? {} : asMapping(own);
  return fields === undefined ? own : { ...whole, ...fields };
}

/** A whole service time takes the place of the profile's parts. */
function mergedLatency(times: Mapping, own: unknown): unknown {
  if (own === undefined) return times;
  const fields = asMapping(own);
  return fields === undefined || 'service' in fields ? own : { ...times, ...fields };
}

function writtenLatency({ firstToken, perInputTokenMs, perOutputTokenMs }: LatencyProfile): Mapping {
  return {
    firstToken: { lognormal: { median: duration(firstToken.medianMs), p95: duration(firstToken.p95Ms) } },
    ...(perInputTokenMs !== undefined && { perInputToken: duration(perInputTokenMs) }),
    perOutputToken: duration(perOutputTokenMs),
  };
}

/** Of what profiles say of quotas; there is more that they could. */
function writtenQuota(spec: QuotaSpec): Mapping {
  const common = { name: spec.name, refusedCount: spec.refusedCount };
  if (spec.kind === 'ramp') {
    const { growth, overMs, limit, perMs, counts } = spec;
    return { ...common, ramp: growth, over: duration(overMs), above: `${limit}/${unitOf(perMs)}`, counts };
  }
  const schedule = spec.schedule?.map(({ fromMs, toMs, limit }) => ({
    from: timeOfDay(fromMs),
    to: timeOfDay(toMs),
    limit,
  }));
  const limited = { ...common, [spec.kind]: spec.limit, ...(schedule && { schedule }) };
  if (spec.kind === 'concurrency') return limited;
  const { perMs, refill, burst, resetAtMs, subWindowMs } = spec;
  const windowed = {
    ...limited,
    per: duration(perMs),
    refill,
    ...(refill === 'token-bucket' && burst !== spec.limit && { burst }),
    ...(resetAtMs !== undefined && { reset: timeOfDay(resetAtMs) }),
    ...(subWindowMs !== undefined && { subWindow: duration(subWindowMs) }),
  };
  if (spec.kind === 'requests') return windowed;
  const { counts, reserve, settle, outputWeight } = spec;
  return { ...windowed, counts, reserve, settle, ...(outputWeight !== undefined && { outputWeight }) };
}

function writtenHint(spec: RetryAfterSpec): unknown {
  if (spec.kind === 'none') return 'none';
  const { as, rounding, error, scopes } = spec;
  return {
    ...(spec.kind === 'constant' && { constant: duration(spec.ms) }),
    as,
    rounding,
    error,
    ...(scopes && { scopes }),
  };
}

function duration(ms: number): string {
  return `${ms}ms`;
}

const units: Readonly<Record<number, string>> = { 1000: 's', 60000: 'm', 3600000: 'h' };

function unitOf(perMs: number): string {
  return units[perMs] ?? '';
}

function timeOfDay(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
