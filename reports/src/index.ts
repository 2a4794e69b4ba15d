/**
 * Draws a `Report` as one offline HTML file, as PNG pictures and as Markdown. Knows no domain word.
 */

export type { ThemeName } from './palette.js';
export { renderHtml } from './render-html.js';
export { type MarkdownOptions, renderMarkdown } from './render-markdown.js';
export { type PngOptions, renderPng } from './render-png.js';
export type {
  BarChart,
  Chart,
  Figure,
  HeatmapAxis,
  HeatmapChart,
  LineChart,
  RangesChart,
  Report,
  ScatterChart,
  Section,
  Series,
  Table,
  Tone,
  Unit,
  Verdict,
} from './report.js';
export { formatDuration, formatNumber, formatValue } from './ticks.js';
