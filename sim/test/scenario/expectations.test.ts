import { describe, expect, it } from 'vitest';
import { readSummaryField } from '../../src/scenario/summary-fields.js';
import { problemsOf, scenarioOf } from './loading.js';

const expecting = (expectation: string, governor = '{}'): string =>
  [
    'providers:',
    '  acme: { quotas: [{ requests: 9, per: 1s }], models: { large: { quotas: [{ concurrency: 5 }] }, idle: {} } }',
    'workload: { runs: [{ id: review.1, target: acme/large, agents: { count: 3 } }] }',
    `governor: ${governor}`,
    'expect:',
    `  ${expectation}`,
  ].join('\n');

describe('an expectation', () => {
  it.each([
    // `makespan` is `makespanMs` with a duration; every field in milliseconds has such a short form.
    ['makespan: { max: 6m }', { path: 'makespan', max: 360_000 }],
    ['makespanMs: { min: 5s, max: 6000 }', { path: 'makespanMs', min: 5000, max: 6000 }],
    ['latency.wait.p95: { max: 1m 30s }', { path: 'latency.wait.p95', max: 90_000 }],
    ['latencyMs.firstToken.p50: { max: 700 }', { path: 'latencyMs.firstToken.p50', max: 700 }],
    ['refused.first: { min: 10s }', { path: 'refused.first', min: 10_000 }],
    ['refused.share: { max: 12% }', { path: 'refused.share', max: 0.12 }],
    ['refused.share: { equals: 0 }', { path: 'refused.share', equals: 0 }],
    ['complete: { equals: true }', { path: 'complete', equals: true }],
    ['controller: { equals: aimd }', { path: 'controller', equals: 'aimd' }],
    ['refused.first: { equals: null }', { path: 'refused.first', equals: null }],
    ['\'keys["acme/large"].cooldown\': { max: 2m }', { path: 'keys["acme/large"].cooldown', max: 120_000 }],
    ['\'keys["acme/large"].cap.mean\': { min: 4.5 }', { path: 'keys["acme/large"].cap.mean', min: 4.5 }],
    ['\'runs["review.1"].wait\': { equals: 0 }', { path: 'runs["review.1"].wait', equals: 0 }],
    ['\'runs["review.1"].effective.min\': { min: 1 }', { path: 'runs["review.1"].effective.min', min: 1 }],
    [
      '\'providers["acme/large"].refusedBy.concurrency\': { max: 3 }',
      { path: 'providers["acme/large"].refusedBy.concurrency', max: 3 },
    ],
    // A quota of the whole provider refuses requests to its models.
    [
      '\'providers["acme/large"].refusedBy["requests-1s"]\': { max: 3 }',
      { path: 'providers["acme/large"].refusedBy["requests-1s"]', max: 3 },
    ],
  ])('written %s has its bounds in the unit of the summary', (written, expectation) => {
    expect(scenarioOf(expecting(written)).expect).toEqual([expectation]);
  });

  it.each([
    ['makespn: { max: 6m }', ':3  expect.makespn  this run has no such field; did you mean "makespan"?'],
    ['refused.shar: { max: 1 }', ':3  expect["refused.shar"]  this run has no such field; did you mean "share"?'],
    [
      '\'keys["acme/lrge"].cuts\': { max: 1 }',
      ':3  expect["keys[\\"acme/lrge\\"].cuts"]  this run has no such field; did you mean "acme/large"?',
    ],
    // No run asks this model, so its key never comes to be.
    [
      '\'keys["acme/idle"].cuts\': { max: 1 }',
      ':3  expect["keys[\\"acme/idle\\"].cuts"]  this run has no such field; the fields of keys are acme/large',
    ],
    [
      '\'providers["acme/large"].refusedBy.rpm\': { max: 1 }',
      ':3  expect["providers[\\"acme/large\\"].refusedBy.rpm"]  this run has no such field; the fields of providers["acme/large"].refusedBy are requests-1s, concurrency',
    ],
    ['runs.review: { max: 1 }', ':3  expect["runs.review"]  this run has no such field; did you mean "review.1"?'],
    ['latency: { max: 1s }', ':3  expect.latency  is a group of fields: wait, service, total, firstToken'],
    ['expectations: { max: 1 }', ':3  expect.expectations  is a list; expect one of the single values'],
    ['seed.x: { max: 1 }', ':3  expect["seed.x"]  seed is a single value; nothing is expected below it'],
    ['makespan: { max: 6000 }', ':20  expect.makespan.max  6000 has no unit; write 6000ms, 6000s, 6000m or 6000h'],
    ['makespan: { min: 2m, max: 1m }', ':29  expect.makespan.max  must be at least min'],
    ['makespan: 6m', ':13  expect.makespan  expected bounds, as { min, max } or { equals }, got "6m"'],
    ['makespan: {}', ':3  expect.makespan  expects nothing; give min, max or equals'],
    ['queue.max: { max: 5s }', ':21  expect["queue.max"].max  expected a number, got "5s"'],
    ['refused.share: { max: few }', ':25  expect["refused.share"].max  expected a share, as 10% or 0.1, got "few"'],
    ['complete: { min: 1 }', ':20  expect.complete.min  has no order; give equals'],
    ['complete: { equals: 1 }', ':23  expect.complete.equals  expected true or false, got 1'],
    ['controller: { equals: 1 }', ':25  expect.controller.equals  expected text, got 1'],
    ['seed: { equals: one }', ':19  expect.seed.equals  expected a number, got "one"'],
  ])('written %s is a problem of the scenario', (written, line) => {
    expect(problemsOf(expecting(written))).toEqual([`s/x.yaml:6${line}`]);
  });

  it('of a misspelt bound says both what is unknown and what is absent', () => {
    expect(problemsOf(expecting('seed: { mx: 3 }'))).toEqual([
      's/x.yaml:6:3  expect.seed  expects nothing; give min, max or equals',
      's/x.yaml:6:11  expect.seed.mx  unknown field; did you mean "max"?',
    ]);
  });

  it('of a cap holds no number where nothing governs', () => {
    const none = '{ controller: none }';
    expect(problemsOf(expecting('\'keys["acme/large"].cap.final\': { min: 4 }', none))).toEqual([
      's/x.yaml:6:42  expect["keys[\\"acme/large\\"].cap.final"].min  controller: none has no cap, so no number can be expected of it',
    ]);
    expect(scenarioOf(expecting('\'keys["acme/large"].cap.final\': { equals: null }', none)).expect).toEqual([
      { path: 'keys["acme/large"].cap.final', equals: null },
    ]);
  });
});

describe('a field of the summary', () => {
  const summary = {
    makespanMs: 5000,
    latencyMs: { wait: { p95: 20 } },
    refused: { share: 0.1, first: null },
    keys: { 'acme/large': { cap: { final: 5 }, cooldownMs: 7 } },
  };

  it.each([
    ['makespan', 5000],
    ['makespanMs', 5000],
    ['latency.wait.p95', 20],
    ['refused.first', null],
    ['keys["acme/large"].cap.final', 5],
    ['keys["acme/large"].cooldown', 7],
    ['keys["acme/small"].cap.final', undefined],
    ['refused.toString', undefined],
    ['refused..share', undefined],
  ])('%s is read as %j', (path, value) => {
    expect(readSummaryField(summary, path)).toBe(value);
  });
});
