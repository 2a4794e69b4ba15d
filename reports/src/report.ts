/**
 * A report as data: what is to be shown, in the order in which a reader wants it. Knows no domain word; every renderer
 * (HTML, PNG, Markdown) draws the same value.
 */

export interface Report {
  readonly title: string;
  /** The question the report answers; shown under the title. */
  readonly question: string;
  /** One line that sums up; `tone` colours it. */
  readonly headline: { readonly text: string; readonly tone: Tone };
  /** Big numbers under the headline. */
  readonly figures: readonly Figure[];
  readonly verdicts: readonly Verdict[];
  readonly sections: readonly Section[];
  /** Shown last, small: seed, version, … */
  readonly provenance: readonly { readonly label: string; readonly value: string }[];
  /** The command that makes this report again. */
  readonly replay: string;
}

export type Tone = 'good' | 'bad' | 'warn' | 'neutral';

export interface Figure {
  readonly label: string;
  readonly value: string;
  /** What the number means, in a few words. */
  readonly note?: string;
}

export interface Verdict {
  readonly pass: boolean;
  readonly text: string;
}

export interface Section {
  readonly heading: string;
  readonly text?: string;
  readonly charts: readonly Chart[];
  readonly tables: readonly Table[];
}

export type Chart = LineChart | BarChart | HeatmapChart | ScatterChart | RangesChart;

/** How a value is written: `duration` in ms as 1m 30s, `share` of 1 as 12 %. */
export type Unit = 'number' | 'duration' | 'share';

/** x and y are numbers; `xUnit` says how ticks are written. */
export interface LineChart {
  readonly kind: 'line';
  readonly title: string;
  /** The chart in words, for those who cannot see it. */
  readonly description: string;
  readonly xLabel: string;
  /** `duration`: x in ms, ticks as 0s, 30s, 1m, 1h. */
  readonly xUnit: 'duration' | 'number';
  readonly yLabel: string;
  /** Default `number`. */
  readonly yUnit?: Unit;
  readonly yMin?: number;
  readonly yMax?: number;
  readonly series: readonly Series[];
  /** Spans of x, shaded behind the lines. */
  readonly bands: readonly {
    readonly from: number;
    readonly to: number;
    readonly label: string;
    readonly tone: Tone;
  }[];
}

export interface Series {
  readonly name: string;
  /**
   * `step`: a value holds until the next point, the last one to the right edge of the chart. `points`: marks without a
   * line. `area`: a filled step.
   */
  readonly style: 'line' | 'step' | 'area' | 'points';
  readonly role: 'primary' | 'secondary' | 'limit' | 'bad' | 'muted';
  readonly dashed?: boolean;
  /** [x, y] in order of x; y null = a gap. Any number of them: what cannot be seen is left out when it is drawn. */
  readonly points: readonly (readonly [number, number | null])[];
}

export interface BarChart {
  readonly kind: 'bar';
  readonly title: string;
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly categories: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly role: Series['role'];
    readonly values: readonly number[];
  }[];
}

/** A table of values as colours, with lines through places of equal value. */
export interface HeatmapChart {
  readonly kind: 'heatmap';
  readonly title: string;
  readonly description: string;
  /** From left to right. */
  readonly x: HeatmapAxis;
  /** From the bottom up. */
  readonly y: HeatmapAxis;
  readonly valueLabel: string;
  readonly unit: Unit;
  /** Rows from the bottom up, each from left to right; null = no value. */
  readonly values: readonly (readonly (number | null)[])[];
  /** What a cell without a value is. */
  readonly missing: string;
  /** Values for which a line is drawn. */
  readonly levels: readonly number[];
  /** Cells to point out. */
  readonly marks: readonly {
    readonly name: string;
    readonly role: Series['role'];
    readonly column: number;
    readonly row: number;
  }[];
}

export interface HeatmapAxis {
  readonly label: string;
  readonly values: readonly string[];
}

/** Points by two values. */
export interface ScatterChart {
  readonly kind: 'scatter';
  readonly title: string;
  readonly description: string;
  readonly xLabel: string;
  readonly xUnit: Unit;
  readonly yLabel: string;
  readonly yUnit: Unit;
  readonly series: readonly {
    readonly name: string;
    readonly role: Series['role'];
    /** Whether a line joins the points, in their order. */
    readonly joined: boolean;
    readonly points: readonly { readonly x: number; readonly y: number; readonly label: string }[];
  }[];
}

/** Ranges of a value, one row each: intervals around a mean, or how far something moves away from a baseline. */
export interface RangesChart {
  readonly kind: 'ranges';
  readonly title: string;
  readonly description: string;
  readonly valueLabel: string;
  readonly unit: Unit;
  /** A line across all rows. */
  readonly baseline?: { readonly value: number; readonly label: string };
  readonly series: readonly { readonly name: string; readonly role: Series['role'] }[];
  /** What the marks are, where rows have one. */
  readonly markName?: string;
  /** From the top down. */
  readonly rows: readonly {
    readonly label: string;
    /** Per series; null where the row has none of it. */
    readonly ranges: readonly (readonly [low: number, high: number] | null)[];
    readonly mark?: number;
  }[];
}

export interface Table {
  readonly caption: string;
  readonly columns: readonly { readonly label: string; readonly numeric: boolean }[];
  readonly rows: readonly (readonly string[])[];
}
