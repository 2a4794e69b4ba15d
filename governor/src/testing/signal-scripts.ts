/**
 * What a controller may live through, as plain data: scripts of signals, their fast-check arbitraries, and the player that
 * gives a script to a controller as a gate would. It judges nothing: the properties read the steps that it returns.
 */

import fc from 'fast-check';
import type {
  CapChange,
  ConcurrencyController,
  ControllerSnapshot,
  Sample,
  ThrottleReason,
} from '../core/controller.js';
import { THROTTLE_REASONS } from '../core/controller.js';
import type { AimdOptions } from '../core/options.js';

/** One line of a script. Ends pick one of the requests in flight by `which`; with none in flight they are passed over. */
export type ScriptedSignal =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'observe' }
  /** A caller asks: it is admitted if the controller can, else nothing happens. */
  | { readonly kind: 'ask' }
  /** An observer is admitted, whatever the cap and the cooldown say. */
  | { readonly kind: 'intrude' }
  | { readonly kind: 'succeed' | 'fail' | 'end'; readonly which: number }
  | {
      readonly kind: 'throttle';
      readonly which: number;
      readonly reason: ThrottleReason;
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly kind: 'wait'; readonly count: number }
  | { readonly kind: 'limit'; readonly limit: number }
  | { readonly kind: 'seed'; readonly target: number };

/** One call on the controller. */
export type ControllerCall =
  | { readonly signal: 'observed' | 'admitted' | 'failed' | 'ended' }
  | { readonly signal: 'succeeded'; readonly epoch: number; readonly sample: Sample }
  | {
      readonly signal: 'throttled';
      readonly epoch: number;
      readonly reason: ThrottleReason;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly signal: 'waiting'; readonly count: number }
  | { readonly signal: 'setGrowthLimit'; readonly limit: number }
  | { readonly signal: 'seed'; readonly target: number };

/** One call with everything that could be seen around it. */
export interface Step {
  readonly now: number;
  readonly call: ControllerCall;
  readonly before: ControllerSnapshot;
  readonly changes: readonly CapChange[];
  readonly after: ControllerSnapshot;
  /** What `canAdmit` says right after the call. */
  readonly canAdmit: boolean;
}

/** How a script ended: its steps, the time, and the epochs of the requests still in flight, oldest first. */
export interface Played {
  readonly steps: readonly Step[];
  readonly now: number;
  readonly inFlight: readonly number[];
}

const whichOne = (): fc.Arbitrary<number> => fc.nat({ max: 40 });

/** Around the idle resets and hints below, on both sides of each edge. */
const passedMs = (): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 1, 10) },
    { weight: 3, arbitrary: fc.constantFrom(499, 500, 999, 1_000, 2_000, 5_000) },
    { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, 61_000, 299_999, 300_000, 400_000, 2_000_000) },
  );

const hintMs = (): fc.Arbitrary<number | undefined> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: fc.constantFrom(0, 1, 500, 2_000, 60_000, 400_000) },
  );

const throttle = (): fc.Arbitrary<ScriptedSignal> =>
  fc.record({
    kind: fc.constant('throttle' as const),
    which: whichOne(),
    reason: fc.constantFrom(...THROTTLE_REASONS),
    retryAfterMs: hintMs(),
  });

const settlement = (): fc.Arbitrary<ScriptedSignal> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom('succeed' as const, 'fail' as const, 'end' as const),
        which: whichOne(),
      }),
    },
    { weight: 2, arbitrary: throttle() },
  );

const level = (): fc.Arbitrary<number> => fc.oneof(fc.integer({ min: 0, max: 48 }), fc.constant(12.7));

const single = (): fc.Arbitrary<ScriptedSignal> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<ScriptedSignal>({ kind: 'ask' }) },
    { weight: 1, arbitrary: fc.constant<ScriptedSignal>({ kind: 'intrude' }) },
    { weight: 1, arbitrary: fc.constant<ScriptedSignal>({ kind: 'observe' }) },
    { weight: 5, arbitrary: settlement() },
    { weight: 2, arbitrary: passedMs().map((ms): ScriptedSignal => ({ kind: 'pass', ms })) },
    { weight: 1, arbitrary: fc.nat({ max: 3 }).map((count): ScriptedSignal => ({ kind: 'wait', count })) },
    { weight: 1, arbitrary: level().map((limit): ScriptedSignal => ({ kind: 'limit', limit })) },
    { weight: 1, arbitrary: level().map((target): ScriptedSignal => ({ kind: 'seed', target })) },
  );

/** Several asks answered one after the other, or all in one wave: what single signals seldom add up to. */
const volley = (): fc.Arbitrary<readonly ScriptedSignal[]> =>
  fc
    .record({
      size: fc.integer({ min: 2, max: 12 }),
      asWave: fc.boolean(),
      ends: fc.tuple(settlement(), settlement()),
      pauseMs: fc.constantFrom(0, 0, 1, 500),
    })
    .map(({ size, asWave, ends, pauseMs }) => {
      const asks = Array.from({ length: size }, (): ScriptedSignal => ({ kind: 'ask' }));
      const answer = (_: unknown, i: number): readonly ScriptedSignal[] => [
        { kind: 'pass', ms: pauseMs },
        // The last answer of a volley differs from the rest: the one refusal after a proof, the shorter of two waits.
        i < size - 1 ? ends[0] : ends[1],
        ...(asWave ? [{ kind: 'observe' } as const] : []),
      ];
      return asWave ? [...asks, ...asks.flatMap(answer)] : asks.flatMap((ask, i) => [ask, ...answer(ask, i)]);
    });

/** A story for a controller: single signals and volleys in any order, mostly with somebody waiting from the start. */
export function signalScript(): fc.Arbitrary<readonly ScriptedSignal[]> {
  const move = fc.oneof(
    { weight: 5, arbitrary: single().map((signal): readonly ScriptedSignal[] => [signal]) },
    { weight: 2, arbitrary: volley() },
  );
  return fc
    .tuple(fc.nat({ max: 2 }), fc.array(move, { maxLength: 30, size: 'max' }))
    .map(([count, moves]) => [{ kind: 'wait', count }, ...moves.flat()]);
}

/** Options of the reference law, small enough that a script meets every edge. */
export function controllerOptions(): fc.Arbitrary<AimdOptions> {
  return fc
    .record({
      key: fc.constant('p/m'),
      initial: fc.integer({ min: 1, max: 16 }),
      growthLimit: fc.integer({ min: 1, max: 32 }),
      decreaseFactor: fc.constantFrom(0.75, 0.5, 0.9, 0.1),
      increaseStep: fc.integer({ min: 1, max: 3 }),
      increaseAfterSuccesses: fc.integer({ min: 1, max: 5 }),
      floor: fc.integer({ min: 1, max: 4 }),
      idleResetMs: fc.constantFrom(1_000, 60_000, 300_000),
      rememberGood: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    })
    .map((options) => ({ ...options, floor: Math.min(options.floor, options.initial) }));
}

/** Makes one call. `admitted` returns an epoch instead of changes: it comes back as `epoch`. */
export function give(
  controller: ConcurrencyController,
  call: ControllerCall,
  now: number,
): { readonly changes: readonly CapChange[]; readonly epoch?: number } {
  switch (call.signal) {
    case 'admitted':
      return { changes: [], epoch: controller.admitted(now) };
    case 'observed':
    case 'failed':
    case 'ended':
      return { changes: controller[call.signal](now) };
    case 'succeeded':
      return { changes: controller.succeeded(now, call.epoch, call.sample) };
    case 'throttled':
      return { changes: controller.throttled(now, call.epoch, call.reason, call.retryAfterMs) };
    case 'waiting':
      return { changes: controller.waiting(now, call.count) };
    case 'setGrowthLimit':
      return { changes: controller.setGrowthLimit(now, call.limit) };
    case 'seed':
      return { changes: controller.seed(now, call.target) };
  }
}

/** A request that a script has admitted and not yet settled. */
interface InFlight {
  readonly epoch: number;
  readonly admittedAt: number;
  readonly inFlightAtAdmission: number;
}

/** Gives a script to a controller, from time `origin` on. */
export function play(controller: ConcurrencyController, script: readonly ScriptedSignal[], origin = 0): Played {
  const steps: Step[] = [];
  const inFlight: InFlight[] = [];
  let now = origin;

  const step = (call: ControllerCall): void => {
    const before = controller.snapshot();
    const { changes, epoch } = give(controller, call, now);
    if (epoch !== undefined) inFlight.push({ epoch, admittedAt: now, inFlightAtAdmission: inFlight.length + 1 });
    steps.push({ now, call, before, changes, after: controller.snapshot(), canAdmit: controller.canAdmit(now) });
  };
  const settle = (which: number, call: (request: InFlight) => ControllerCall): void => {
    if (inFlight.length === 0) return;
    const [request] = inFlight.splice(which % inFlight.length, 1) as [InFlight];
    step(call(request));
  };

  for (const signal of script) {
    switch (signal.kind) {
      case 'pass':
        now += signal.ms;
        break;
      case 'observe':
        step({ signal: 'observed' });
        break;
      case 'ask':
        step({ signal: 'observed' });
        if (controller.canAdmit(now)) step({ signal: 'admitted' });
        break;
      case 'intrude':
        step({ signal: 'observed' });
        step({ signal: 'admitted' });
        break;
      case 'succeed':
        settle(signal.which, ({ epoch, admittedAt, inFlightAtAdmission }) => ({
          signal: 'succeeded',
          epoch,
          sample: { latencyMs: now - admittedAt, inFlightAtAdmission },
        }));
        break;
      case 'throttle': {
        const { reason, retryAfterMs } = signal;
        settle(signal.which, ({ epoch }) => ({ signal: 'throttled', epoch, reason, retryAfterMs }));
        break;
      }
      case 'fail':
        settle(signal.which, () => ({ signal: 'failed' }));
        break;
      case 'end':
        settle(signal.which, () => ({ signal: 'ended' }));
        break;
      case 'wait':
        step({ signal: 'waiting', count: signal.count });
        break;
      case 'limit':
        step({ signal: 'setGrowthLimit', limit: signal.limit });
        break;
      case 'seed':
        step({ signal: 'seed', target: signal.target });
        break;
    }
  }
  return { steps, now, inFlight: inFlight.map(({ epoch }) => epoch) };
}
