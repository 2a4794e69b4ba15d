/**
 * The rules a controller is held to, as named properties over scripts of signals. Two sets: what the gate relies on, which
 * any controller keeps, and the reference law, which one that claims to be it keeps. Each rule reads only what can be seen
 * from outside: calls, reported changes, snapshots. No rule but the last consults the model.
 */

import fc from 'fast-check';
import type { CapChange, ConcurrencyController, ControllerSnapshot } from '../core/controller.js';
import { type AimdOptions, resolveAimdOptions } from '../core/options.js';
import { ReferenceModel } from './reference-model.js';
import { checkProperty } from './replay.js';
import {
  controllerOptions,
  give,
  type Played,
  play,
  type ScriptedSignal,
  type Step,
  signalScript,
} from './signal-scripts.js';

/** One rule, ready to be a test. */
export interface NamedProperty {
  /** A sentence; fits as the title of a test. */
  readonly name: string;
  /** For whoever runs it with fast-check directly. */
  readonly property: fc.IProperty<[AimdOptions, readonly ScriptedSignal[]]>;
  /** Runs it. @throws Error with the counterexample and the command that replays it. */
  check(): void;
}

/** The two sets of rules. */
export interface ControllerProperties {
  /** What the gate relies on: for any controller. */
  readonly anyController: readonly NamedProperty[];
  /** Cut, raise, wait and forget as the reference does. */
  readonly referenceLaw: readonly NamedProperty[];
}

/** How the rules are named and how often they are tried. */
export interface ControllerPropertiesOptions {
  /** What is tested; begins each name, so that a replay command selects this controller's test only. Default `controller`. */
  readonly subject?: string;
  /** The test file that runs the properties, for the replay command; omitted, the command looks through all of them. */
  readonly file?: string;
  /** Scripts per property, before `TIDEGATE_RUNS` multiplies them. Default 100. */
  readonly runs?: number;
}

/** Makes the controller under test. */
type Make = (options: AimdOptions) => ConcurrencyController;
/** Throws when the rule is broken by a fresh controller that lives through the script. */
type Rule = (make: () => ConcurrencyController, script: readonly ScriptedSignal[], options: AimdOptions) => void;

/**
 * The rules, for the controllers that `make` makes.
 *
 * @param make a fresh controller; one that has other options ignores what it does not know.
 */
export function controllerProperties(make: Make, options: ControllerPropertiesOptions = {}): ControllerProperties {
  const { subject = 'controller', ...rest } = options;
  const named = ([sentence, rule]: readonly [string, Rule]): NamedProperty => {
    const name = `${subject}: ${sentence}`;
    const property = fc.property(controllerOptions(), signalScript(), (aimdOptions, script) =>
      rule(() => make(aimdOptions), script, aimdOptions),
    );
    return { name, property, check: () => checkProperty(property, { name, ...rest }) };
  };
  return { anyController: ANY_CONTROLLER.map(named), referenceLaw: REFERENCE_LAW.map(named) };
}

const ANY_CONTROLLER: readonly (readonly [string, Rule])[] = [
  ['in flight equals admitted minus settled', countsInFlight],
  ['the cap stays within its bounds', staysWithinBounds],
  ['every move of the cap is reported, and nothing else is', reportsEveryMove],
  ['nobody is admitted at the cap or during a cooldown', admitsBelowTheCapOnly],
  ['with nothing in flight and no cooldown somebody is admitted', alwaysLeavesAProbe],
  ['asking changes nothing', askingIsPure],
  ['settling with nothing in flight is refused', refusesToSettleNothing],
  ['the same script gives the same answers, wherever time begins', isDeterministic],
];

const REFERENCE_LAW: readonly (readonly [string, Rule])[] = [
  ['one cut per epoch', cutsOncePerEpoch],
  ['no raise without K current-epoch successes and a waiter', raisesOnProofOnly],
  ['an older answer moves nothing', ignoresOlderAnswers],
  ['never admits before the latest wait that was asked for is over', keepsTheLongestWait],
  ['a refusal cuts by the factor, to no less than the floor', cutsByTheFactor],
  ['a failed probe falls back to the level it rose from', fallsBackToTheProvenLevel],
  ['the idle reset forgets, once', forgetsOnce],
  ['agrees with the model in every change and every snapshot', agreesWithTheModel],
];

function countsInFlight(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  const { steps, inFlight } = play(make(), script);
  let admitted = 0;
  let settled = 0;
  for (const { call, after } of steps) {
    if (call.signal === 'admitted') admitted++;
    if (isSettlement(call)) settled++;
    same(after.inFlight, admitted - settled, 'in flight');
  }
  same(inFlight.length, admitted - settled, 'left in flight');
}

function staysWithinBounds(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  for (const { after } of play(make(), script).steps) {
    const isWhole = Number.isInteger(after.cap) || after.cap === Number.POSITIVE_INFINITY;
    holds(isWhole && after.cap >= 1, `a cap is an integer of at least 1, got ${after.cap}`);
    holds(after.cap <= after.growthLimit, `cap ${after.cap} is above the growth limit ${after.growthLimit}`);
  }
}

/** The gate never reads the cap again: it follows the changes. */
function reportsEveryMove(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  for (const { before, changes, after } of play(make(), script).steps) {
    let cap = before.cap;
    for (const change of changes) {
      same(change.key, before.key, 'key of a change');
      same(change.previous, cap, 'previous cap of a change');
      holds(change.next !== cap || change.cooldownMs !== undefined, 'a change moves the cap or starts a wait');
      cap = change.next;
    }
    same(after.cap, cap, 'the cap after the reported changes');
  }
}

function admitsBelowTheCapOnly(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  for (const { now, after, canAdmit } of play(make(), script).steps) {
    if (!canAdmit) continue;
    holds(after.inFlight < after.cap, `admits with ${after.inFlight} in flight at cap ${after.cap}`);
    holds(!isCooling(after, now), `admits at ${now}, cooling until ${after.cooldownUntil}`);
  }
}

/** Else the gate would wait for an answer that nobody was sent for. */
function alwaysLeavesAProbe(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  const controller = make();
  const { now, inFlight } = play(controller, script);
  for (const _ of inFlight) controller.ended(now);
  const { cooldownUntil = now } = controller.snapshot();
  holds(
    controller.canAdmit(Math.max(now, cooldownUntil)),
    'nothing is in flight, no cooldown runs, nobody is admitted',
  );
}

function askingIsPure(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  const controller = make();
  const { now } = play(controller, script);
  const before = controller.snapshot();
  const copy = { ...before };
  const answer = controller.canAdmit(now);
  same(controller.canAdmit(now), answer, 'the second answer of canAdmit');
  same(controller.snapshot(), before, 'the snapshot after canAdmit');
  controller.admitted(now);
  same(before, copy, 'a snapshot taken before a signal, read after it');
}

function refusesToSettleNothing(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  const controller = make();
  const { now, inFlight } = play(controller, script);
  for (const _ of inFlight) controller.ended(now);
  const before = controller.snapshot();
  const settlements = [
    () => controller.succeeded(now, before.epoch),
    () => controller.throttled(now, before.epoch, 'rate_limited', 1_000),
    () => controller.failed(now),
    () => controller.ended(now),
  ];
  for (const settle of settlements) {
    holds(nameOfThrown(settle) === 'InvariantError', 'settling with nothing in flight throws an InvariantError');
    same(controller.snapshot(), before, 'the snapshot after a refused settlement');
  }
}

function isDeterministic(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  const origin = 1_000_000_000;
  const first = play(make(), script);
  const later = play(make(), script, origin);
  same(later.steps.length, first.steps.length, 'steps');
  first.steps.forEach((step, i) => {
    const other = later.steps[i] as Step;
    same(other.changes, step.changes, `the changes of step ${i}`);
    same(shifted(other.after, -origin), step.after, `the snapshot after step ${i}`);
  });
}

function cutsOncePerEpoch(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  const cutEpochs = new Set<number>();
  for (const { call, before, after } of play(make(), script).steps) {
    if (call.signal !== 'throttled' || after.cap >= before.cap) continue;
    holds(!cutEpochs.has(call.epoch), `a second refusal of epoch ${call.epoch} cut again`);
    cutEpochs.add(call.epoch);
    same(after.epoch, before.epoch + 1, 'the epoch after a cut');
  }
}

function raisesOnProofOnly(
  make: () => ConcurrencyController,
  script: readonly ScriptedSignal[],
  options: AimdOptions,
): void {
  const { increaseAfterSuccesses, increaseStep } = resolveAimdOptions(options);
  let successes = 0;
  let waiters = 0;
  for (const { call, before, changes, after } of play(make(), script).steps) {
    if (call.signal === 'waiting') waiters = call.count;
    if (call.signal === 'succeeded' && call.epoch === before.epoch) successes++;
    const breaks = call.signal === 'throttled' || call.signal === 'failed' || after.epoch !== before.epoch;
    if (breaks) successes = 0;
    if (call.signal !== 'seed' && changes.every(({ reason }) => reason !== 'idle_reset') && after.cap > before.cap) {
      same(call.signal, 'succeeded', 'the signal that raised the cap');
      holds(successes >= increaseAfterSuccesses, `raised after ${successes} of ${increaseAfterSuccesses} successes`);
      holds(waiters > 0, 'raised though nobody waits');
      same(after.cap, Math.min(before.cap + increaseStep, before.growthLimit), 'the raised cap');
      same(reasons(changes), ['recovered'], 'the reason of a raise');
      successes = 0;
    }
  }
}

function ignoresOlderAnswers(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  for (const { call, before, changes, after } of play(make(), script).steps) {
    if (!('epoch' in call) || call.epoch === before.epoch) continue;
    same(changes, [], 'the changes of an older answer');
    const learned = ({ cap, epoch, growthLimit, lastGood, lastBad }: ControllerSnapshot): unknown => {
      return { cap, epoch, growthLimit, lastGood, lastBad };
    };
    same(learned(after), learned(before), 'what is known after an older answer');
    if (call.signal === 'succeeded')
      same(after.successStreak, before.successStreak, 'the streak after an older success');
  }
}

/** Whatever epoch the refusal is of. */
function keepsTheLongestWait(make: () => ConcurrencyController, script: readonly ScriptedSignal[]): void {
  let until = Number.NEGATIVE_INFINITY;
  for (const { now, call, after, canAdmit } of play(make(), script).steps) {
    if (call.signal === 'throttled') until = Math.max(until, now + (call.retryAfterMs || Number.NEGATIVE_INFINITY));
    same(canAdmit, after.inFlight < after.cap && now >= until, `canAdmit at ${now}, told to wait until ${until}`);
  }
}

function cutsByTheFactor(
  make: () => ConcurrencyController,
  script: readonly ScriptedSignal[],
  options: AimdOptions,
): void {
  const { decreaseFactor, floor } = resolveAimdOptions(options);
  for (const { call, before, after, changes } of play(make(), script).steps) {
    if (call.signal !== 'throttled' || call.epoch !== before.epoch) continue;
    same(after.epoch, before.epoch + 1, 'the epoch after a refusal, at the floor too');
    same(after.lastBad, before.cap, 'the refused level');
    const isReported = after.cap !== before.cap || (call.retryAfterMs ?? 0) > 0;
    same(reasons(changes), isReported ? [call.reason] : [], 'the reported reasons');
    const isProbe = before.lastGood !== undefined && before.cap > before.lastGood;
    if (isProbe) continue;
    same(after.cap, Math.max(floor, Math.floor(before.cap * decreaseFactor)), 'the cap after a refusal');
    same(after.lastGood, undefined, 'the proven level after its refusal');
  }
}

/** A raise is a probe until K successes prove it. */
function fallsBackToTheProvenLevel(
  make: () => ConcurrencyController,
  script: readonly ScriptedSignal[],
  options: AimdOptions,
): void {
  const { increaseAfterSuccesses, rememberGood } = resolveAimdOptions(options);
  if (!rememberGood) return;
  let provenLevel: number | undefined;
  let successes = 0;
  for (const { call, before, after, changes } of play(make(), script).steps) {
    const isCurrent = 'epoch' in call && call.epoch === before.epoch;
    if (call.signal === 'throttled' && isCurrent && provenLevel !== undefined) {
      same(after.cap, provenLevel, 'the cap after a failed probe');
      same(after.lastGood, provenLevel, 'the proven level after a failed probe');
    }
    if (call.signal === 'succeeded' && isCurrent) successes++;
    if (call.signal === 'throttled' || call.signal === 'failed') successes = 0;
    if (after.epoch !== before.epoch || successes >= increaseAfterSuccesses) provenLevel = undefined;
    if (changes.some(({ reason }) => reason === 'recovered')) {
      provenLevel = before.cap;
      successes = 0;
    }
  }
}

function forgetsOnce(make: () => ConcurrencyController, script: readonly ScriptedSignal[], options: AimdOptions): void {
  const controller = make();
  const { now: end, inFlight }: Played = play(controller, script);
  for (const _ of inFlight) controller.ended(end);
  const used = controller.snapshot();
  if (used.lastRequestAt === undefined) return;
  const { idleResetMs, initial } = resolveAimdOptions(options);
  const idleAt = Math.max(used.lastRequestAt + idleResetMs, used.cooldownUntil ?? Number.NEGATIVE_INFINITY);
  if (idleAt > end) {
    same(controller.observed(idleAt - 1), [], 'the changes one millisecond before the reset');
    same(controller.snapshot(), used, 'the snapshot one millisecond before the reset');
  }
  const at = Math.max(idleAt, end);
  same(reasons(controller.observed(at)), used.cap === initial ? [] : ['idle_reset'], 'the reported reset');
  const { key, growthLimit, waiters, lastRequestAt } = used;
  const { epoch, ...forgotten } = controller.snapshot();
  same(
    forgotten,
    { key, initial, growthLimit, cap: initial, inFlight: 0, waiters, successStreak: 0, lastRequestAt },
    'what is left',
  );
  const learned = [used.cooldownUntil, used.lastGood, used.lastBad, used.lastThrottledAt];
  const isClean = used.cap === initial && used.successStreak === 0 && learned.every((fact) => fact === undefined);
  const turns = isClean ? 0 : 1;
  same(epoch, used.epoch + turns, 'the epoch after the reset');
  same(controller.observed(at + 10 * idleResetMs), [], 'the changes of a second reset');
  same(controller.snapshot().epoch, epoch, 'the epoch after a second reset');
}

function agreesWithTheModel(
  make: () => ConcurrencyController,
  script: readonly ScriptedSignal[],
  options: AimdOptions,
): void {
  const model = new ReferenceModel(options);
  play(make(), script).steps.forEach(({ now, call, changes, after, canAdmit }, i) => {
    const expected = give(model, call, now);
    same(changes, expected.changes, `the changes of step ${i} (${call.signal})`);
    same(after, model.snapshot(), `the snapshot after step ${i} (${call.signal})`);
    same(canAdmit, model.canAdmit(now), `canAdmit after step ${i} (${call.signal})`);
  });
}

function isSettlement({ signal }: Step['call']): boolean {
  return signal === 'succeeded' || signal === 'throttled' || signal === 'failed' || signal === 'ended';
}

function isCooling({ cooldownUntil }: ControllerSnapshot, now: number): boolean {
  return cooldownUntil !== undefined && now < cooldownUntil;
}

function reasons(changes: readonly CapChange[]): readonly string[] {
  return changes.map(({ reason }) => reason);
}

/** The same state told on another axis of time. */
function shifted(snapshot: ControllerSnapshot, by: number): ControllerSnapshot {
  const entries = Object.entries(snapshot).map(([name, value]): [string, unknown] => {
    return [name, name.endsWith('At') || name.endsWith('Until') ? (value as number) + by : value];
  });
  return Object.fromEntries(entries) as unknown as ControllerSnapshot;
}

function nameOfThrown(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    return error instanceof Error ? error.name : typeof error;
  }
  return undefined;
}

function holds(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [seen, wanted] = [inOrder(actual), inOrder(expected)];
  if (seen !== wanted) throw new Error(`${what}: expected ${wanted}, got ${seen}`);
}

/** Text that is equal for equal values, in whatever order their fields were written. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field === 'number') return Number.isFinite(field) ? field : String(field);
    if (field === undefined) return 'undefined';
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
