import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { palettes } from '../src/palette.js';
import { renderPng } from '../src/render-png.js';
import { barChart, lineChart } from './small-report.js';

type Pixel = readonly [red: number, green: number, blue: number, alpha: number];
type Box = readonly [left: number, top: number, width: number, height: number];

/** A PNG, decoded: its size, and how many pixels of a part of it satisfy a test. */
async function decoded(png: Uint8Array) {
  const { width, height } = await loadImage(png);
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(await loadImage(png), 0, 0);
  const whole: Box = [0, 0, width, height];
  const count = (test: (pixel: Pixel) => boolean, box: Box = whole): number => {
    const { data } = context.getImageData(...box);
    let found = 0;
    for (let i = 0; i < data.length; i += 4) if (test([data[i]!, data[i + 1]!, data[i + 2]!, data[i + 3]!])) found++;
    return found;
  };
  return { width, height, count };
}

const rgb = (color: string): Pixel => {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [red!, green!, blue!, 255];
};

const distance = (a: Pixel, b: Pixel): number =>
  Math.max(Math.abs(a[0] - b[0]), Math.abs(a[1] - b[1]), Math.abs(a[2] - b[2]));

describe.each(['light', 'dark'] as const)('a PNG in the %s theme', (theme) => {
  it('is as large as asked, opaque, and has title, legend, axis labels and every series in their places', async () => {
    const size = { width: 600, height: 315, theme, scale: 2 };
    const { width, height, count } = await decoded(await renderPng(lineChart, size));
    expect([width, height]).toEqual([1200, 630]);
    expect(count((pixel) => pixel[3] < 255)).toBe(0);
    const { card, roles } = palettes[theme];
    const ground = rgb(card);
    const ink = (...box: Box): number => count((pixel) => distance(pixel, ground) > 60, box);
    // The margin is empty; title, legend and the row of time labels are not.
    expect(ink(0, 0, 1200, 20)).toBe(0);
    expect(ink(20, 24, 400, 50)).toBeGreaterThan(800);
    expect(ink(20, 80, 900, 40)).toBeGreaterThan(800);
    expect(ink(20, 530, 1160, 90)).toBeGreaterThan(500);
    const near = (color: string): number => count((pixel) => distance(pixel, rgb(color)) <= 12);
    expect(near(roles.primary)).toBeGreaterThan(1500);
    expect(near(roles.limit)).toBeGreaterThan(1000);
    expect(near(roles.bad)).toBeGreaterThan(30);
    expect(near(roles.secondary)).toBeGreaterThan(500);
  });

  it('shades its bands', async () => {
    const size = { width: 600, height: 315, theme, scale: 1 };
    const ground = rgb(palettes[theme].card);
    // What a warning's tint does to the background: more red than blue, a little of each.
    const isTinted = (pixel: Pixel): boolean => {
      const warmth = pixel[0] - ground[0] - (pixel[2] - ground[2]);
      return warmth > 8 && warmth < 60 && Math.abs(pixel[0] - ground[0]) < 60;
    };
    const banded = await decoded(await renderPng(lineChart, size));
    const bare = await decoded(await renderPng({ ...lineChart, bands: [] }, size));
    expect(banded.count(isTinted) - bare.count(isTinted)).toBeGreaterThan(3000);
  });
});

describe('a PNG', () => {
  it('of bars has bars', async () => {
    const { count } = await decoded(await renderPng(barChart, { width: 400, height: 300, scale: 1 }));
    expect(count((pixel) => distance(pixel, rgb(palettes.light.roles.primary)) < 40)).toBeGreaterThan(3000);
  });

  it('has the same bytes each time', async () => {
    const [first, second] = [await renderPng(lineChart), await renderPng(lineChart)];
    expect(Buffer.compare(first, second)).toBe(0);
  });

  it.each([
    [{ width: 0 }, 'renderPng: width must be a number from 100 to 8000, got 0'],
    [{ height: Number.NaN }, 'renderPng: height must be a number from 100 to 8000, got NaN'],
    [{ scale: 5 }, 'renderPng: scale must be a number from 0.5 to 4, got 5'],
  ])('of %j is refused', async (options, message) => {
    await expect(renderPng(lineChart, options)).rejects.toThrow(new RangeError(message));
  });
});
