/** A pressure test as a report: its table and its two charts. */

import type { BarChart, LineChart, Report, Table } from '@tidegate/reports';
import { duration, NO_VALUE, number } from './human-numbers.js';
import type { PressureFigures, StepFigures } from './pressure-figures.js';

export interface PressureResults {
  readonly figures: PressureFigures;
  readonly model: string;
  readonly version: string;
  /** The command that makes this test again. */
  readonly replay: string;
}

export function pressureReport({ figures, model, version, replay }: PressureResults): Report {
  const { steps, comfort, stopped, complete } = figures;
  const ease = comfort === null ? 'Not at ease at any width' : `At ease up to ${comfort} at once`;
  return {
    title: `Pressure on ${model}`,
    question: 'How many requests at once does the endpoint take, when nothing governs them?',
    headline: {
      text: complete ? ease : `Stopped before the end; ${ease.toLowerCase()}`,
      tone: complete ? 'neutral' : 'warn',
    },
    figures: [
      {
        label: 'At ease up to',
        value: comfort === null ? NO_VALUE : number(comfort),
        note: 'nothing refused, not twice as slow',
      },
      { label: 'Accepted', value: number(sum(steps, 'accepted')) },
      { label: 'Refused', value: number(sum(steps, 'refused')) },
      { label: 'Failed', value: number(sum(steps, 'failed')) },
    ],
    verdicts: [],
    sections: [
      ...(stopped === null ? [] : [{ heading: 'Stopped before the end', text: stopped, charts: [], tables: [] }]),
      { heading: 'Step by step', charts: [countChart(steps), latencyChart(steps)], tables: [stepTable(steps)] },
    ],
    provenance: [
      { label: 'Model', value: model },
      { label: 'Version', value: version },
    ],
    replay,
  };
}

export function stepTable(steps: readonly StepFigures[]): Table {
  const labels = ['Accepted', 'Refused', 'Failed', 'Accepted/s', 'p50', 'p95', 'Max'];
  return {
    caption: 'Steps',
    columns: [{ label: 'At once', numeric: false }, ...labels.map((label) => ({ label, numeric: true }))],
    rows: steps.map((step) => {
      const { p50, p95, max } = step.latencyMs.accepted;
      return [
        nameOf(step),
        ...[step.accepted, step.refused, step.failed].map(number),
        step.acceptedPerSecond === null ? NO_VALUE : number(Number(step.acceptedPerSecond.toPrecision(3))),
        ...[p50, p95, max].map(duration),
      ];
    }),
  };
}

/** The picture that stands for the test. */
export function countChart(steps: readonly StepFigures[]): BarChart {
  return {
    kind: 'bar',
    title: 'Accepted and refused',
    description: 'How many requests were accepted, refused and failed in each step.',
    xLabel: 'Requests at once',
    yLabel: 'Requests',
    categories: steps.map(nameOf),
    series: [
      { name: 'Accepted', role: 'primary', values: steps.map(({ accepted }) => accepted) },
      { name: 'Refused', role: 'bad', values: steps.map(({ refused }) => refused) },
      { name: 'Failed', role: 'muted', values: steps.map(({ failed }) => failed) },
    ],
  };
}

function latencyChart(steps: readonly StepFigures[]): LineChart {
  const line = (name: 'p50' | 'p95', role: 'primary' | 'secondary'): LineChart['series'][number] => ({
    ...{ name, style: 'line', role },
    points: steps.map(({ width, latencyMs }) => [width, latencyMs.accepted[name]] as const),
  });
  return {
    kind: 'line',
    title: 'Latency of what was accepted',
    description: 'The median and the 95th percentile of the time from dispatch to answer, by width.',
    xLabel: 'Requests at once',
    xUnit: 'number',
    yLabel: 'Milliseconds',
    yMin: 0,
    series: [line('p50', 'primary'), line('p95', 'secondary')],
    bands: [],
  };
}

function nameOf({ width, wave }: StepFigures): string {
  return wave === null ? `${width}` : `${width}, wave ${wave}`;
}

function sum(steps: readonly StepFigures[], what: 'accepted' | 'refused' | 'failed'): number {
  return steps.reduce((total, step) => total + step[what], 0);
}
