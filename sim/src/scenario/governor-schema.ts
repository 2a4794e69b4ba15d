/**
 * The governor as a scenario writes it: every option by its name, durations without the `Ms` of the governor's own
 * options. Only what is written comes out, for the governor owns its defaults; the retry policy comes out whole.
 */

import { type Preset, withPreset } from '@tidegate/governor';
import { z } from 'zod';
import { choice } from './choice.js';
import { CONTROLLERS, type ControllerName, MODULE_PATTERN, type ModulePath } from './controllers.js';
import { didYouMean } from './nearest.js';
import { duration, expected, flag, number, oneOf, whole } from './quantities.js';
import { asMapping } from './raw-data.js';
import type { GovernorNumbers, GovernorSettings, RetrySettings } from './scenario.js';

export function governor(): z.ZodType<GovernorSettings> {
  return z
    .strictObject(
      {
        preset: oneOf(['reference', 'auto-grow', 'adaptive'])
          .prefault('reference')
          .describe(
            'The options that are not written here: the defaults, the same with growthFactor 2, or what was measured to be better.',
          ),
        controller: controller()
          .prefault('aimd')
          .describe(
            'aimd is the reference, fixed holds the cap at `initial`, none admits everything; the rest are controllers to compare with. A path, relative to the scenario, is that of a module whose default export makes one.',
          ),
        retry: retry()
          .prefault({})
          .describe('Retries per class of failure and their delays; `none` makes every refusal final.'),
        freezeOn: optional(
          oneOf(['any', 'rate']),
          'Which refusals freeze a key for their Retry-After: any, or only those of a rate. Default any.',
        ),
        pacing: optional(
          oneOf(['off', 'headers']),
          'Whether admissions are spaced to the rates that answers announce or refusals show. Default off.',
        ),
        latencySignal: optional(
          flag(),
          'Whether a growing time to the first token cuts the cap: for servers that queue and never refuse. Default false.',
        ),
        recovery: optional(
          oneOf(['additive', 'slow-start']),
          'How the cap climbs after a cut: a step per K successes, or per success up to the last proven level. Default additive.',
        ),
        growth: optional(
          oneOf(['streak', 'window']),
          'Successes for a raise to a level that was refused before: K, or as many as the cap is. Default streak.',
        ),
        maxQueue: optional(
          whole({ min: 1 }),
          'Requests that may wait on one key; one more is lost. Whole number ≥ 1. Default: no limit.',
        ),
        ...counts(),
        ...times(),
      },
      { error: expected('a mapping of governor options') },
    )
    .transform(({ preset, controller, retry: policy, idleReset, maxCooldown, resumeStagger, ...options }) => ({
      preset,
      controller,
      options: optionsOf(preset, {
        ...options,
        ...(idleReset !== undefined && { idleResetMs: idleReset }),
        ...(maxCooldown !== undefined && { maxCooldownMs: maxCooldown }),
        ...(resumeStagger !== undefined && { resumeStaggerMs: resumeStagger }),
      }),
      retry: policy,
    }));
}

/** With what the preset sets beside them, so that everything that follows sees the same numbers. */
function optionsOf(preset: Preset, written: GovernorNumbers): GovernorNumbers {
  const { preset: _, ...options } = withPreset({ ...written, preset });
  return options;
}

/** A name, or the path of a module, which only running it loads. */
function controller(): z.ZodType<ControllerName | ModulePath> {
  const error = ({ input }: { readonly input?: unknown }): string => {
    const base = expected(`${CONTROLLERS.join(' | ')} | the path of a module`)({ input });
    return typeof input === 'string' ? base + didYouMean(input, CONTROLLERS) : base;
  };
  const module = z.string({ error }).regex(MODULE_PATTERN, { error }) as unknown as z.ZodType<ModulePath>;
  return z.union([z.enum(CONTROLLERS, { error }), module], { error });
}

type Optional<T> = z.ZodExactOptional<z.ZodType<T>>;

function optional<T>(schema: z.ZodType<T>, description: string): Optional<T> {
  return z.exactOptional(schema).describe(description) as Optional<T>;
}

function counts(): Record<
  | 'initial'
  | 'growthLimit'
  | 'growthFactor'
  | 'decreaseFactor'
  | 'increaseStep'
  | 'increaseAfterSuccesses'
  | 'floor'
  | 'probeBackoffMax',
  Optional<number>
> & { rememberGood: Optional<boolean> } {
  const count = (): z.ZodType<number> => whole({ min: 1 });
  return {
    initial: optional(
      count(),
      'Where the cap starts and where an idle reset returns to. Whole number ≥ floor. Default 8.',
    ),
    growthLimit: optional(
      count(),
      'How far the cap may climb by itself. A value below `initial`, the default, counts as it.',
    ),
    growthFactor: optional(number({ min: 1 }), 'The growth limit as a multiple of `initial`. Number ≥ 1. Default 1.'),
    decreaseFactor: optional(
      number({ above: 0, below: 1 }),
      'A cut multiplies the cap by it. Between 0 and 1. Default 0.75.',
    ),
    increaseStep: optional(count(), 'Added to the cap by a raise. Whole number ≥ 1. Default 1.'),
    increaseAfterSuccesses: optional(count(), 'Successes in a row that prove the cap. Whole number ≥ 1. Default 4.'),
    floor: optional(count(), 'The cap never falls below it. Whole number ≥ 1. Default 1.'),
    probeBackoffMax: optional(
      count(),
      'A failed probe is repeated after twice the successes, then four times, up to this factor. Whole number ≥ 1. Default 1.',
    ),
    rememberGood: optional(flag(), 'Whether a proven level is returned to after a failed probe. Default true.'),
  };
}

function times(): Record<'idleReset' | 'maxCooldown' | 'resumeStagger', Optional<number>> {
  return {
    idleReset: optional(
      duration({ positive: true }),
      'Idle this long, a key forgets what it learned. Above 0. Default 5m.',
    ),
    maxCooldown: optional(
      duration({ positive: true }),
      'The longest a Retry-After freezes a key. Above 0. Default 15m.',
    ),
    resumeStagger: optional(duration(), 'Distance of the first grants after a cooldown. Default 0, all at once.'),
  };
}

/** The retries of a request, or `none`. */
export function retry(): z.ZodType<RetrySettings> {
  const policy = retryPolicy();
  const none = z
    .literal('none', {
      error: expected('none or { throttle, network, business, firstDelay, maxDelay, delays, maxRetryAfter }'),
    })
    .transform(() => policy.parse({ throttle: 0, network: 0, business: 0 }));
  return choice<RetrySettings>([none, policy], (value) => ({
    kind: 'branch',
    index: asMapping(value) === undefined ? 0 : 1,
  }));
}

function retryPolicy(): z.ZodType<RetrySettings> {
  return z
    .strictObject({
      throttle: budget().prefault('unlimited').describe('Retries after throttles and overloads.'),
      network: budget().prefault(3).describe('Retries after network errors and 5xx.'),
      business: budget().prefault(0).describe('Retries after all other errors.'),
      firstDelay: duration().prefault('2s').describe('Backoff before the first retry; doubles with each.'),
      maxDelay: duration().prefault('60s').describe('The longest backoff.'),
      delays: z
        .exactOptional(z.array(duration(), { error: expected('a list of durations') }).min(1, { error: 'is empty' }))
        .describe(
          'In place of firstDelay and maxDelay: the backoffs themselves, the last one again and again. Without luck.',
        ),
      maxRetryAfter: duration().prefault('5m').describe('A hint above it ends the retries.'),
    })
    .transform(({ throttle, network, business, firstDelay, maxDelay, delays, maxRetryAfter }) => ({
      throttle,
      network,
      business,
      firstDelayMs: firstDelay,
      maxDelayMs: maxDelay,
      maxRetryAfterMs: maxRetryAfter,
      ...(delays !== undefined && { delaysMs: delays }),
    }));
}

/** A number of retries; null = without end. */
function budget(): z.ZodType<number | null> {
  const error = expected('a whole number ≥ 0 or unlimited');
  return z
    .union([z.int({ error }).min(0), z.literal('unlimited', { error })], { error })
    .transform((written) => (written === 'unlimited' ? null : written));
}
