/**
 * One parent session: takes its item through the stages. Its program dispatches the children of a stage when all stages
 * before that are done, asks each child again for its further rounds, and is done when all stages are. What the pools
 * refuse is tried again at its next step; the stage is none the worse for it.
 */

import { PHASE } from '../kernel/kernel.js';
import type { PipelineSettings } from '../scenario/pipeline-settings.js';
import type { CallReason, ChildFacts, TurnEnd } from '../trace/pipeline-events.js';
import { type Parent, PipelineChild } from './pipeline-child.js';
import type { PipelineHost, StagePlan } from './pipeline-host.js';
import type { SessionSeats } from './pipeline-pools.js';
import { ProgramCalls } from './program-calls.js';

/** What the program knows of one child; the child itself is made when it is first seated. */
interface Place {
  readonly stage: StagePlan;
  readonly name: string;
  child: PipelineChild | undefined;
  /** A call for it is to be made. */
  isInLine: boolean;
  /** Requests of messages that came while a call for it was in line: they reach it with the turn. */
  steered: number;
  /** Its next round: none yet, when its parent has thought about the last one, or now. */
  followUp: 'none' | 'later' | 'due';
  /** Its rounds are over. */
  isDone: boolean;
}

interface Call {
  readonly place: Place;
  readonly reason: CallReason;
}

interface Progress {
  /** Stages that must be done before. */
  waitsFor: number;
  childrenLeft: number;
}

export class PipelineSession implements Parent {
  readonly name: string;
  readonly #host: PipelineHost;
  readonly #stepMs: number;
  readonly #seats: SessionSeats;
  readonly #calls: ProgramCalls<Call>;
  readonly #progress: readonly Progress[];
  readonly #places = new Map<PipelineChild, Place>();
  readonly #finished: () => void;
  #stagesLeft: number;
  /** Messages that are still to be sent. */
  #messagesLeft = 0;
  #isCalling = false;
  #isStepDue = false;

  /** @param maxParallelCalls as it is now. */
  constructor(
    host: PipelineHost,
    name: string,
    settings: PipelineSettings,
    maxParallelCalls: number,
    finished: () => void,
  ) {
    this.name = name;
    this.#host = host;
    this.#stepMs = settings.stepMs;
    this.#seats = host.pools.newSession();
    this.#calls = new ProgramCalls(maxParallelCalls);
    this.#progress = settings.stages.map(({ after, children }) => ({ waitsFor: after.length, childrenLeft: children }));
    this.#stagesLeft = settings.stages.length;
    this.#finished = finished;
  }

  begin(): void {
    for (const stage of this.#host.stages) if (stage.settings.after.length === 0) this.#open(stage);
    this.#makeCalls();
  }

  /** From the next call on. */
  setMaxParallelCalls(most: number): void {
    this.#calls.setMost(most);
    this.#makeCalls();
  }

  step(): void {
    this.#isStepDue = false;
    this.#calls.step();
    this.#makeCalls();
  }

  factsOf({ name, stage }: PipelineChild): ChildFacts {
    return this.#factsOf(name, stage);
  }

  settled(child: PipelineChild, _end: TurnEnd): void {
    const place = this.#places.get(child) as Place;
    this.#host.pools.settled(this.#seats, child.stage.index);
    this.#calls.returned();
    if (child.roundsLeft === 0) this.#roundsAreOver(place);
    else if (place.followUp === 'due') this.#line(place, 'follow-up');
    else if (place.followUp === 'none') this.#followUp(place);
    this.#makeCalls();
  }

  /** The parent has thought about the last round of the child. */
  askAgain(place: Place): void {
    place.followUp = 'due';
    if (place.isInLine || place.child?.isRunning || place.child?.isGone) return;
    this.#line(place, 'follow-up');
    this.#makeCalls();
  }

  /** Reaches a running child as it works, and wakes a settled one. */
  send(place: Place): void {
    this.#messagesLeft--;
    const { requests } = place.stage.settings.steer as { readonly requests: number };
    const { child } = place;
    if (child?.isRunning) {
      child.steer(requests);
    } else if (child?.isGone === false) {
      place.steered += requests;
      if (!place.isInLine) this.#line(place, 'steer');
    }
    this.#makeCalls();
  }

  #open(stage: StagePlan): void {
    const { name, children } = stage.settings;
    for (let n = 1; n <= children; n++) {
      const place: Place = {
        stage,
        name: `${this.name}/${name}-${n}`,
        child: undefined,
        isInLine: false,
        steered: 0,
        followUp: 'none',
        isDone: false,
      };
      this.#line(place, 'dispatch');
    }
  }

  #line(place: Place, reason: CallReason): void {
    place.isInLine = true;
    this.#calls.add({ place, reason });
  }

  /** A loop: what a call begins may be over at once, and bring others. */
  #makeCalls(): void {
    if (this.#isCalling) return;
    this.#isCalling = true;
    for (let call = this.#calls.next(); call !== undefined; call = this.#calls.next()) this.#make(call);
    this.#isCalling = false;
    if (this.#calls.hasRefused && !this.#isStepDue) {
      this.#isStepDue = true;
      this.#host.scheduler.after(this.#stepMs, PHASE.arrival, takeStep, this);
    }
    if (this.#stagesLeft === 0 && this.#messagesLeft === 0 && this.#calls.isEmpty) this.#finished();
  }

  #make(call: Call): void {
    const { place, reason } = call;
    const { pools, clerk } = this.#host;
    const { index } = place.stage;
    const by = reason === 'dispatch' ? pools.dispatch(this.#seats, index) : pools.wake(this.#seats, index);
    if (by !== null) {
      clerk.tell({ ...this.#factsOf(place.name, place.stage), type: 'stage-refused', reason, by });
      this.#calls.refused(call);
      return;
    }
    place.isInLine = false;
    if (reason === 'follow-up') place.followUp = 'none';
    const { steered } = place;
    place.steered = 0;
    const child = place.child ?? this.#bear(place);
    child.begin(reason, steered);
    if (reason !== 'steer' && steered > 0) child.steer(steered);
  }

  #bear(place: Place): PipelineChild {
    const { scheduler } = this.#host;
    const { steer } = place.stage.settings;
    const child = new PipelineChild(this.#host, this, place.stage, place.name);
    place.child = child;
    this.#places.set(child, place);
    if (steer !== undefined) {
      this.#messagesLeft++;
      scheduler.after(steer.afterMs, PHASE.arrival, sendMessage, { session: this, place });
    }
    return child;
  }

  #followUp(place: Place): void {
    const { afterMs } = place.stage.settings.followUp;
    place.followUp = 'later';
    this.#host.scheduler.after(afterMs, PHASE.arrival, askAgain, { session: this, place });
  }

  #roundsAreOver(place: Place): void {
    if (place.isDone) return;
    place.isDone = true;
    const { index } = place.stage;
    const progress = this.#progress[index] as Progress;
    progress.childrenLeft--;
    if (progress.childrenLeft > 0) return;
    this.#stagesLeft--;
    for (const stage of this.#host.stages) {
      if (!stage.settings.after.includes(index)) continue;
      const next = this.#progress[stage.index] as Progress;
      next.waitsFor--;
      if (next.waitsFor === 0) this.#open(stage);
    }
  }

  #factsOf(agent: string, { settings }: StagePlan): ChildFacts {
    const { run, scheduler } = this.#host;
    return { t: scheduler.now(), run: run.id, session: this.name, stage: settings.name, agent };
  }
}

interface OfPlace {
  readonly session: PipelineSession;
  readonly place: Place;
}

function takeStep(session: PipelineSession): void {
  session.step();
}

function askAgain({ session, place }: OfPlace): void {
  session.askAgain(place);
}

function sendMessage({ session, place }: OfPlace): void {
  session.send(place);
}
