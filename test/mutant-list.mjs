/**
 * The mutants of `mutants.mjs`: each breaks one rule of the governor, named for what it then does wrong. `find` stands
 * exactly once in `governor/src/<file>`.
 */

export const MUTANTS = [
  // The epoch: one wave of refusals is one piece of evidence.
  {
    name: 'an older refusal cuts again',
    file: 'core/aimd.ts',
    find: 'return epoch === this.#epoch ? this.#cut(reason, cooldownMs) : NO_CHANGES;',
    replace: 'return this.#cut(reason, cooldownMs);',
  },
  {
    name: 'an older success is proof',
    file: 'core/aimd.ts',
    find: 'if (epoch !== this.#epoch) return NO_CHANGES;\n    if (this.#latency',
    replace: 'if (this.#latency',
  },
  {
    name: 'a refusal at the floor turns no epoch',
    file: 'core/aimd.ts',
    find: 'this.#epoch++;\n    if (this.#cap === previous && cooldownMs',
    replace: 'if (this.#cap !== previous) this.#epoch++;\n    if (this.#cap === previous && cooldownMs',
  },
  {
    name: 'a lowered limit turns no epoch',
    file: 'core/aimd.ts',
    find: "this.#epoch++;\n    return [...reset, this.#change(previous, 'limit_lowered')];",
    replace: "return [...reset, this.#change(previous, 'limit_lowered')];",
  },
  {
    name: 'a seed turns no epoch',
    file: 'core/aimd.ts',
    find: "this.#epoch++;\n    return [...reset, this.#change(previous, 'seeded')];",
    replace: "return [...reset, this.#change(previous, 'seeded')];",
  },

  // The streak, the raise and the proven level.
  {
    name: 'one success fewer proves the cap',
    file: 'core/aimd.ts',
    find: 'this.#successStreak >= this.#options.increaseAfterSuccesses;\n    if (isProven',
    replace: 'this.#successStreak >= this.#options.increaseAfterSuccesses - 1;\n    if (isProven',
  },
  {
    name: 'a failure does not break the streak',
    file: 'core/aimd.ts',
    find: 'this.#settle(now);\n    this.#successStreak = 0;\n    return NO_CHANGES;',
    replace: 'this.#settle(now);\n    return NO_CHANGES;',
  },
  {
    name: 'a refusal does not break the streak',
    file: 'core/aimd.ts',
    find: 'this.#successStreak = 0;\n    this.#lastThrottledAt = now;',
    replace: 'this.#lastThrottledAt = now;',
  },
  {
    name: 'the cap rises though nobody waits',
    file: 'core/aimd.ts',
    find: 'this.#waiters === 0 || ',
    replace: '',
  },
  {
    name: 'a raise keeps the streak, so the next comes at once',
    file: 'core/aimd.ts',
    find: 'this.#cap = this.#raised();\n    this.#successStreak = 0;',
    replace: 'this.#cap = this.#raised();',
  },
  {
    name: 'a cap is proven only by a raise',
    file: 'core/aimd.ts',
    find: 'if (isProven && this.#options.rememberGood && this.#cap > this.#lastGood) this.#lastGood = this.#cap;',
    replace:
      'if (isProven && this.#options.rememberGood && this.#waiters > 0 && this.#cap < this.#growthLimit) this.#lastGood = this.#cap;',
  },
  {
    name: 'the growth limit stops no raise',
    file: 'core/aimd.ts',
    find: 'return Math.min(this.#growthLimit, this.#cap + this.#options.increaseStep);',
    replace: 'return this.#cap + this.#options.increaseStep;',
  },

  // The cut and the cooldown.
  {
    name: 'a failed probe cuts by the factor',
    file: 'core/aimd.ts',
    find: 'if (this.#lastGood > 0 && previous > this.#lastGood) {',
    replace: 'if (this.#lastGood < 0) {',
  },
  {
    name: 'a disproved level stays proven',
    file: 'core/aimd.ts',
    find: 'this.#options.decreaseFactor));\n      this.#lastGood = 0;',
    replace: 'this.#options.decreaseFactor));',
  },
  {
    name: 'the newest wait counts, not the longest',
    file: 'core/aimd.ts',
    find: 'cooldownMs !== undefined && !(this.#cooldownUntil >= now + cooldownMs)',
    replace: 'cooldownMs !== undefined',
  },
  {
    name: 'an older refusal does not cool',
    file: 'core/aimd.ts',
    find: 'if (cooldownMs !== undefined && !(',
    replace: 'if (epoch === this.#epoch && cooldownMs !== undefined && !(',
  },
  {
    name: 'somebody is admitted in the last instant of a cooldown',
    file: 'core/aimd.ts',
    find: '!(now < this.#cooldownUntil);',
    replace: '!(now < this.#cooldownUntil - 1);',
  },
  {
    name: 'a wait at the floor is not reported',
    file: 'core/aimd.ts',
    find: 'if (this.#cap === previous && cooldownMs === undefined) return NO_CHANGES;',
    replace: 'if (this.#cap === previous) return NO_CHANGES;',
  },

  // The idle reset.
  {
    name: 'idleness ends a wait that a provider asked for',
    file: 'core/aimd.ts',
    find: 'if (now < this.#cooldownUntil || this.#isClean())',
    replace: 'if (this.#isClean())',
  },
  {
    name: 'the idle reset turns the epoch of a clean key',
    file: 'core/aimd.ts',
    find: 'if (now < this.#cooldownUntil || this.#isClean())',
    replace: 'if (now < this.#cooldownUntil)',
  },
  {
    name: 'a long request counts as idleness',
    file: 'core/aimd.ts',
    find: 'if (this.#inFlight > 0 || !(now',
    replace: 'if (!(now',
  },
  {
    name: 'the idle reset comes an instant late',
    file: 'core/aimd.ts',
    find: 'now - this.#lastRequestAt >= this.#options.idleResetMs',
    replace: 'now - this.#lastRequestAt > this.#options.idleResetMs',
  },
  {
    name: 'idleness counts from the last admission',
    file: 'core/aimd.ts',
    find: 'this.#inFlight--;\n    this.#lastRequestAt = now;',
    replace: 'this.#inFlight--;',
  },
  {
    name: 'the idle reset remembers the last refusal',
    file: 'core/aimd.ts',
    find: 'this.#lastThrottledAt = UNSET;\n    this.#growth?.reset();',
    replace: 'this.#growth?.reset();',
  },

  // Growth limit and seed.
  {
    name: 'a seed ignores a fresh refusal',
    file: 'core/aimd.ts',
    find: 'next <= this.#cap || refusedLately',
    replace: 'next <= this.#cap',
  },
  {
    name: 'a seed lowers the cap',
    file: 'core/aimd.ts',
    find: 'next <= this.#cap || refusedLately',
    replace: 'next === this.#cap || refusedLately',
  },
  {
    name: 'a lowered limit leaves a proven level above the cap',
    file: 'core/aimd.ts',
    find: 'this.#lastGood = Math.min(this.#lastGood, this.#cap);\n',
    replace: '',
  },
  {
    name: 'the growth limit falls below the initial cap',
    file: 'core/aimd.ts',
    find: 'Math.max(this.#options.initial, Math.floor(limit))',
    replace: 'Math.floor(limit)',
  },
  {
    name: 'a settlement with nothing in flight is let pass',
    file: 'core/aimd.ts',
    find: 'if (this.#inFlight === 0) refuseSettlement(this.#options.key);',
    replace: '',
  },
  {
    name: 'a default bound seeds',
    file: 'gate/bucket.ts',
    find: 'if (explicit) this.#explicitBounds.put(lane.explicitBound);\n    else this.#explicitBounds.remove(lane.explicitBound);',
    replace: 'this.#explicitBounds.put(lane.explicitBound);',
  },
  {
    name: 'a run that closes leaves its bound behind',
    file: 'gate/bucket.ts',
    find: 'this.#bounds.remove(lane.bound);',
    replace: '',
  },
  {
    name: 'the heap of bounds looks at the left child only',
    file: 'core/bound-heap.ts',
    find: 'right !== undefined && left !== undefined && right.bound > left.bound ? right : left',
    replace: 'left',
  },
  {
    name: 'the heap of bounds finds no new place for what moved into a gap',
    file: 'core/bound-heap.ts',
    find: 'this.#place(last, entry.index);\n      this.#settle(last);',
    replace: 'this.#place(last, entry.index);',
  },

  // The queue.
  {
    name: 'the head run keeps its turn: no round-robin',
    file: 'core/fair-queue.ts',
    find: 'this.#lanes.rotate();',
    replace: '',
  },
  {
    name: 'a run that begins to wait goes to the head',
    file: 'core/fair-queue.ts',
    find: 'if (lane.size === 1) this.#lanes.push(lane);',
    replace: 'if (lane.size === 1) {\n      this.#lanes.push(lane);\n      this.#lanes.head = lane;\n    }',
  },
  {
    name: 'the queue forgets that it got smaller by a cancellation',
    file: 'core/fair-queue.ts',
    find: 'lane.remove(node);\n    this.size--;',
    replace: 'lane.remove(node);',
  },
  {
    name: 'tryAcquire overtakes the queue',
    file: 'gate/bucket.ts',
    find: 'this.#queue.size > 0 || lane.run?.open === false || ',
    replace: 'lane.run?.open === false || ',
  },
  {
    name: 'acquire overtakes the queue',
    file: 'gate/bucket.ts',
    find: 'if (this.#queue.size === 0 && !this.#granting && this.#mayAdmit(now, tokens)) {',
    replace: 'if (!this.#granting && this.#mayAdmit(now, tokens)) {',
  },
  {
    name: 'maxQueue is one too many',
    file: 'gate/bucket.ts',
    find: 'if (this.#queue.size < maxQueue) return undefined;',
    replace: 'if (this.#queue.size <= maxQueue) return undefined;',
  },

  // The drain and the one timer.
  {
    name: 'a settlement lets nobody through',
    file: 'gate/bucket.ts',
    find: 'if (this.#queue.size > 0) this.#drain();\n  }',
    replace: '}',
  },
  {
    name: 'a raised cap lets nobody through',
    file: 'gate/bucket.ts',
    find: 'seed(now, target), now, true);\n    this.#drain();',
    replace: 'seed(now, target), now, true);',
  },
  {
    name: 'the drain is recursive',
    file: 'gate/bucket.ts',
    find: 'if (this.#granting) return;\n    let now',
    replace: 'let now',
  },
  {
    name: 'a timer that fired early is not set again',
    file: 'gate/bucket.ts',
    find: 'this.#cancelWake = undefined;\n      this.#drain();',
    replace: 'this.#cancelWake = undefined;\n      if (this.#controller.canAdmit(this.#clock.now())) this.#drain();',
  },
  {
    name: 'the timer stays when nobody waits any more',
    file: 'gate/bucket.ts',
    find: 'if (this.#queue.size === 0) this.#disarm();\n',
    replace: '',
  },
  {
    name: 'a moved deadline sets a second timer',
    file: 'gate/bucket.ts',
    find: 'this.#disarm();\n    this.#wakeAt = wakeAt;',
    replace: 'this.#wakeAt = wakeAt;',
  },
  {
    name: 'a timer that is late is taken away by the next request',
    file: 'gate/bucket.ts',
    find: 'if (this.#queue.size === 0) this.#disarm();',
    replace: 'if (this.#queue.size === 0 || wakeAt <= now) this.#disarm();',
  },
  {
    name: 'maxCooldownMs bounds nothing',
    file: 'gate/bucket.ts',
    find: 'Math.min(retryAfterMs, maxCooldownMs)',
    replace: 'retryAfterMs',
  },
  {
    name: 'a callback that throws keeps its ticket',
    file: 'gate/bucket.ts',
    find: 'ticket.release();\n      this.#settings.listeners.report(',
    replace: 'this.#settings.listeners.report(',
  },
  {
    name: 'a longer wait than a timer can take fires at once',
    file: 'gate/clock.ts',
    find: 'restMs > LONGEST_TIMER_MS',
    replace: 'restMs < 0',
  },

  // The staggered resume.
  {
    name: 'a resume is not staggered',
    file: 'core/stagger.ts',
    find: 'this.#left = cap;',
    replace: 'this.#left = 0;',
  },
  {
    name: 'a resume begins a step after the deadline',
    file: 'core/stagger.ts',
    find: 'this.#nextAt = cooldownUntil;',
    replace: 'this.#nextAt = cooldownUntil + this.#stepMs;',
  },
  {
    name: 'a resume never ends',
    file: 'core/stagger.ts',
    find: 'this.#left--;\n',
    replace: '',
  },
  {
    name: 'a queue held back by the stagger is evidence for growth',
    file: 'gate/bucket.ts',
    find: 'this.#isHeld(now) ? 0 : this.#queue.size',
    replace: 'this.#queue.size',
  },

  // Leaving the queue.
  {
    name: 'every waiter costs its signal a listener',
    file: 'gate/abort.ts',
    find: 'let group = this.#groups.get(signal);',
    replace: 'let group = undefined as SignalGroup | undefined;',
  },
  {
    name: 'the listener of a signal stays after its last waiter',
    file: 'gate/abort.ts',
    find: 'if (this.waiters.delete(waiter) && this.waiters.size === 0) this.#close();',
    replace: 'this.waiters.delete(waiter);',
  },
  {
    name: 'an aborted waiter keeps its place until its turn',
    file: 'gate/abort.ts',
    find: 'for (const waiter of waiters) waiter.leave(this.#signal.reason);\n    for (const waiter of waiters) waiter.told();',
    replace: '',
  },
  {
    name: 'the waiters of one signal leave one by one',
    file: 'gate/abort.ts',
    find: 'for (const waiter of waiters) waiter.leave(this.#signal.reason);\n    for (const waiter of waiters) waiter.told();',
    replace: 'for (const waiter of waiters) {\n      waiter.leave(this.#signal.reason);\n      waiter.told();\n    }',
  },
  {
    name: 'an aborted signal enters the queue and never leaves it',
    file: 'gate/governor.ts',
    find: 'if (signal?.aborted) return { reason: signal.reason };\n    if (!this.#open)',
    replace: 'if (!this.#open)',
    with: [
      {
        file: 'gate/bucket.ts',
        find: 'if (signal?.aborted) return { reason: signal.reason };\n',
        replace: '',
      },
    ],
  },
  {
    name: 'a controller learns late that a waiter has left',
    file: 'gate/bucket.ts',
    find: 'this.#tellWaiting(now);\n    this.#turnAway(waiter, lane, reason, now);',
    replace: 'this.#turnAway(waiter, lane, reason, now);\n    this.#tellWaiting(now);',
  },

  // Tickets, observers and listeners.
  {
    name: 'a ticket settles twice',
    file: 'gate/ticket.ts',
    find: 'ticket.lane.gate.settledTwice();\n    return false;',
    replace: 'ticket.lane.gate.settledTwice();',
  },
  {
    name: 'a second settlement is not counted',
    file: 'gate/ticket.ts',
    find: 'ticket.lane.gate.settledTwice();\n',
    replace: '',
  },
  {
    name: 'an observer’s luck above the cap is proof',
    file: 'gate/bucket.ts',
    find: 'this.#issue(this.commonLane, now, 0, this.#controller.canAdmit(now))',
    replace: 'this.#issue(this.commonLane, now, 0, true)',
  },
  {
    name: 'an observer’s success is never proof',
    file: 'gate/bucket.ts',
    find: 'this.#issue(this.commonLane, now, 0, this.#controller.canAdmit(now))',
    replace: 'this.#issue(this.commonLane, now, 0, false)',
  },
  {
    name: 'listeners hear before the run’s count is dropped',
    file: 'gate/bucket.ts',
    find: 'const hearing = changes.length > 0 ? this.#hearing(false) : [];\n    this.#drop(ticket.lane);\n    this.#tell(changes, now, hearing);',
    replace:
      'this.#drop(ticket.lane);\n    const hearing = changes.length > 0 ? this.#hearing(false) : [];\n    this.#tell(changes, now, hearing);',
  },
  {
    name: 'a listener that throws hurts the caller',
    file: 'gate/events.ts',
    find: '      } catch (error) {\n        this.report(error);\n      }\n    }\n  }',
    replace: '      } catch (error) {\n        throw error;\n      }\n    }\n  }',
  },

  // Idle keys.
  {
    name: 'a key that an open run uses is swept',
    file: 'gate/bucket.ts',
    find: 'if (this.#tickets.size > 0 || this.#queue.size > 0 || this.#lanes.size > 0) return false;',
    replace: 'if (this.#tickets.size > 0 || this.#queue.size > 0) return false;',
  },
  {
    name: 'a key is swept under the listener who is told of it',
    file: 'gate/bucket.ts',
    find: 'if (this.#telling > 0 || now < this.#cooldownUntil) return false;',
    replace: 'if (now < this.#cooldownUntil) return false;',
  },
  {
    name: 'a key that still cools is swept',
    file: 'gate/bucket.ts',
    find: 'if (this.#telling > 0 || now < this.#cooldownUntil) return false;',
    replace: 'if (this.#telling > 0) return false;',
  },
  {
    name: 'new keys sweep no old ones',
    file: 'gate/governor.ts',
    find: 'this.#sweepTwo(now);',
    replace: '',
  },

  // Seats.
  {
    name: 'one subagent more than the bound starts',
    file: 'core/seats.ts',
    find: 'return this.starters.size === 0 && this.active < this.bound;',
    replace: 'return this.starters.size === 0 && this.active <= this.bound;',
  },
  {
    name: 'a new start overtakes those who wait to start',
    file: 'core/seats.ts',
    find: 'return this.starters.size === 0 && this.active < this.bound;',
    replace: 'return this.active < this.bound;',
  },
  {
    name: 'a subagent parks though it is within the bound',
    file: 'core/seats.ts',
    find: 'return this.working > this.bound;',
    replace: 'return this.working >= this.bound;',
  },
  {
    name: 'who waits to start goes before the parked',
    file: 'core/seats.ts',
    find: 'if (subagent !== undefined && this.working < this.bound) {',
    replace: 'if (subagent !== undefined && this.working < this.bound && this.starters.size === 0) {',
  },
  {
    name: 'an unparked subagent sits nowhere',
    file: 'core/seats.ts',
    find: 'this.parked.remove(subagent);\n    this.sit();',
    replace: 'this.parked.remove(subagent);',
  },
  {
    name: 'a request inside a tool parks',
    file: 'gate/ask.ts',
    find: 'return !insideTool && this.parent === undefined && this.#host.mustPark();',
    replace: 'return this.parent === undefined && this.#host.mustPark();',
  },
  {
    name: 'a subagent started inside a tool parks',
    file: 'gate/ask.ts',
    find: 'return !insideTool && this.parent === undefined && this.#host.mustPark();',
    replace: 'return !insideTool && this.#host.mustPark();',
  },
  {
    name: 'an aborted request leaves its subagent parked',
    file: 'gate/ask.ts',
    find: 'if (this.#parked.size > 0 || this.state !== ',
    replace: 'if (this.#parked.size >= 0 || this.state !== ',
  },
  {
    name: 'an ask that ends while parked frees a seat',
    file: 'gate/run.ts',
    find: 'if (holder.next !== undefined) this.#seats.parked.remove(holder);\n    else this.#seats.leave();',
    replace: 'if (holder.next !== undefined) this.#seats.parked.remove(holder);\n    this.#seats.leave();',
  },
  {
    name: 'a raised bound seats nobody',
    file: 'gate/run.ts',
    find: 'stated !== null);\n    this.#seat();',
    replace: 'stated !== null);',
  },
  {
    name: 'the seat of a parent is free before its children end',
    file: 'gate/run.ts',
    find: 'if (holder.sharers > 0) return;\n',
    replace: '',
  },

  // Runs.
  {
    name: 'asks are inherited by name, whichever number they have',
    file: 'gate/run.ts',
    find: 'const number = (this.#begun.get(name) ?? 0) + 1;',
    replace: 'const number = 1;',
  },
  {
    name: 'what a run inherited and did not come to is lost',
    file: 'gate/run.ts',
    find: 'for (const source of [this.#inherited, this.#finished]) {',
    replace: 'for (const source of [this.#finished]) {',
  },
  {
    name: 'the tickets of a replaced run stay out',
    file: 'gate/run.ts',
    find: 'if (endTickets) bucket.endLane(lane);\n',
    replace: '',
  },
  {
    name: 'a stalled run is told of again and again',
    file: 'gate/run.ts',
    find: 'this.#stallTold = true;\n',
    replace: '',
  },
  {
    name: 'a success does not arm the stall again',
    file: 'gate/run.ts',
    find: 'this.#retryingSince = Number.NaN;\n    this.#stallTold = false;',
    replace: 'this.#retryingSince = Number.NaN;',
  },
  {
    name: 'a run at full width has a status',
    file: 'gate/run.ts',
    find: 'if (cap >= this.bound || ',
    replace: 'if (cap > this.bound || ',
  },
  {
    name: 'a closed run still takes tickets past the queue',
    file: 'gate/governor.ts',
    find: ' || (run instanceof GovernedRun && !run.open)',
    replace: '',
    with: [{ file: 'gate/bucket.ts', find: 'lane.run?.open === false || ', replace: '' }],
  },

  // Tools, retries and the end.
  {
    name: 'the deadline of a tool runs on while its request is queued',
    file: 'gate/tool-deadline.ts',
    find: 'this.#cancel?.();\n    this.#leftMs -= now - this.#runningSince;',
    replace: '',
  },
  {
    name: 'the deadline of a tool begins anew after each wait',
    file: 'gate/tool-deadline.ts',
    find: 'this.#leftMs -= now - this.#runningSince;',
    replace: '',
  },
  {
    name: 'the deadline of a tool goes on with the first request admitted of two',
    file: 'gate/tool-deadline.ts',
    find: 'if (this.#queued === 0 && !this.#over) this.#run(now);',
    replace: 'if (!this.#over) this.#run(now);',
  },
  {
    name: 'a retry comes earlier than it was told',
    file: 'core/attempts.ts',
    find: 'const spreadMs = hintMs + ',
    replace: 'const spreadMs = 0.9 * hintMs + ',
  },
  {
    name: 'a Retry-After of 0 is a hot loop',
    file: 'core/attempts.ts',
    find: 'hintMs < 1_000 ? backoffMs : 0',
    replace: 'hintMs < 0 ? backoffMs : 0',
  },
  {
    name: 'a sleeping request does not hear its signal',
    file: 'gate/request.ts',
    find: 'const enders = signal === undefined ? [closing] : [signal, closing];',
    replace: 'const enders = [closing];',
  },
  {
    name: 'a closed governor lets requests sleep on',
    file: 'gate/request.ts',
    find: 'const enders = signal === undefined ? [closing] : [signal, closing];',
    replace: 'const enders = signal === undefined ? [] : [signal];',
  },
  {
    name: 'a wait beyond the horizon does not say when it is over',
    file: 'gate/request.ts',
    find: 'if (stop.resetAfterMs !== undefined && stop.resetAfterMs > policy.maxRetryAfterMs) {',
    replace: "if ('stop' in stop && stop.stop === 'nothing') {",
  },
];
