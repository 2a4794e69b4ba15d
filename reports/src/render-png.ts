/**
 * Draws one chart as a PNG, with the configuration that the HTML page uses too. The letters come from a font that the
 * package brings along, so that a machine without fonts draws them as well and every machine draws the same; only
 * characters that it lacks are taken from the machine. Chart.js, the canvas and the font are loaded at the first call:
 * whoever draws nothing pays nothing. Never writes a file.
 */

import { createRequire } from 'node:module';
import type { Canvas } from '@napi-rs/canvas';
import type { ChartConfiguration, ChartItem } from 'chart.js';
import { chartConfig } from './charts.js';
import { drawnChart } from './drawn-chart.js';
import { palettes, type ThemeName } from './palette.js';
import type { Chart } from './report.js';
import { ticks } from './ticks.js';

export interface PngOptions {
  /** In CSS pixels, 100 to 8 000; default 1200. */
  readonly width?: number;
  /** In CSS pixels, 100 to 8 000; default 630. */
  readonly height?: number;
  /** Default `light`. */
  readonly theme?: ThemeName;
  /** Device pixels per CSS pixel, 0.5 to 4; default 2. */
  readonly scale?: number;
}

const FAMILY = 'Report Sans';
const FONT_FILES = ['inter-latin-400-normal.woff2', 'inter-latin-600-normal.woff2'];

/** The PNG's bytes; its size in pixels is width × scale by height × scale. Throws `RangeError` for an option out of range. */
export async function renderPng(chart: Chart, options: PngOptions = {}): Promise<Uint8Array> {
  const width = within('width', options.width ?? 1200, 100, 8000);
  const height = within('height', options.height ?? 630, 100, 8000);
  const scale = within('scale', options.scale ?? 2, 0.5, 4);
  const palette = palettes[options.theme ?? 'light'];
  // A picture is mostly seen reduced to about 800 px, so its letters are larger than the page's.
  const fontSize = Math.min(20, Math.max(11, width / 66));
  const config = chartConfig(drawnChart(chart), {
    palette,
    ticks,
    fontFamily: `"${FAMILY}", sans-serif`,
    fontSize,
    titleColumns: Math.floor(width / (fontSize * 0.8)),
  });
  const { createCanvas, Chart } = await drawingKit();
  const canvas = createCanvas(width, height);
  const framed = {
    ...config,
    options: {
      ...config.options,
      responsive: false,
      devicePixelRatio: scale,
      events: [],
      layout: { padding: framePadding(config.options?.layout?.padding, Math.round(fontSize * 1.4)) },
    },
  };
  // Chart.js asks of a canvas outside a page only its size and its 2d context; without animation it draws at once.
  new Chart(canvas as unknown as ChartItem, framed as unknown as ChartConfiguration);
  fillBehind(canvas, palette.card);
  return canvas.encode('png');
}

/** A picture has a margin around what the chart keeps free itself. */
function framePadding(own: unknown, margin: number) {
  const { bottom = 0 } = (own ?? {}) as { readonly bottom?: number };
  return { top: margin, right: margin, bottom: margin + bottom, left: margin };
}

function fillBehind(canvas: Canvas, color: string): void {
  const context = canvas.getContext('2d');
  context.resetTransform();
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = color;
  context.fillRect(0, 0, canvas.width, canvas.height);
}

async function drawingKit() {
  const [canvas, chart, annotation, matrix] = await Promise.all([
    import('@napi-rs/canvas'),
    import('chart.js'),
    import('chartjs-plugin-annotation'),
    import('chartjs-chart-matrix'),
  ]);
  // Both registries belong to the process and take the same entry twice without harm; the font is read only once.
  chart.Chart.register(...chart.registerables, annotation.default, matrix.MatrixController, matrix.MatrixElement);
  if (!canvas.GlobalFonts.has(FAMILY)) {
    const { resolve } = createRequire(import.meta.url);
    for (const file of FONT_FILES) {
      canvas.GlobalFonts.registerFromPath(resolve(`@fontsource/inter/files/${file}`), FAMILY);
    }
  }
  return { createCanvas: canvas.createCanvas, Chart: chart.Chart };
}

function within(name: string, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value;
  throw new RangeError(`renderPng: ${name} must be a number from ${min} to ${max}, got ${value}`);
}
