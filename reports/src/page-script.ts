/**
 * What the HTML page does in the browser: draw the charts from the data in the page, in the colours of the theme in use;
 * switch the theme; copy the command; print in light colours. `startPage` refers to nothing but its argument, so that
 * the page can carry its source. Never asks the network for anything and stores nothing.
 */

import type { ChartConfig, Look } from './charts.js';
import type { Palette, ThemeName } from './palette.js';
import type { Chart } from './report.js';
import type { Ticks } from './ticks.js';

/** The part of a browser that is used; the library of DOM types would offer the whole of it to every file. */
export interface Browser {
  readonly document: {
    readonly documentElement: { readonly dataset: { theme?: string; printing?: string } };
    getElementById(id: string): PageElement | null;
    querySelectorAll(selector: string): Iterable<PageElement>;
  };
  readonly navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
  readonly getComputedStyle: (element: unknown) => { readonly fontFamily: string };
  readonly matchMedia: (query: string) => {
    readonly matches: boolean;
    addEventListener(type: 'change', listener: () => void): void;
  };
  readonly addEventListener: (type: 'beforeprint' | 'afterprint', listener: () => void) => void;
  readonly getSelection: () => { selectAllChildren(node: unknown): void } | null;
  readonly Chart: new (canvas: PageElement, config: ChartConfig) => { destroy(): void };
}

export interface PageElement {
  textContent: string | null;
  hidden: boolean;
  addEventListener(type: 'click', listener: () => void): void;
}

/** What the page carries beside its text. */
export interface PageData {
  readonly charts: readonly Chart[];
  readonly palettes: Readonly<Record<ThemeName, Palette>>;
}

export interface PageParts extends PageData {
  readonly browser: Browser;
  readonly ticks: Ticks;
  readonly chartConfig: (chart: Chart, look: Look) => ChartConfig;
}

export function startPage({ browser, charts, palettes, ticks, chartConfig }: PageParts): void {
  const { document } = browser;
  const root = document.documentElement;
  const systemIsDark = browser.matchMedia('(prefers-color-scheme: dark)');
  const fontFamily = browser.getComputedStyle(root).fontFamily;
  const toggle = document.getElementById('theme');
  let drawn: { destroy(): void }[] = [];

  const themeNow = (): ThemeName =>
    root.dataset.theme === 'dark' || (root.dataset.theme === undefined && systemIsDark.matches) ? 'dark' : 'light';

  const draw = (theme: ThemeName, sharpness?: number): void => {
    for (const chart of drawn) chart.destroy();
    const look: Look = { palette: palettes[theme], ticks, fontFamily, fontSize: 13, titleColumns: 0 };
    drawn = [...document.querySelectorAll('canvas')].map((canvas, i) => {
      const config = chartConfig(charts[i]!, look);
      if (sharpness !== undefined) Object.assign(config.options ?? {}, { devicePixelRatio: sharpness });
      return new browser.Chart(canvas, config);
    });
    if (toggle !== null) toggle.textContent = theme === 'dark' ? 'Light theme' : 'Dark theme';
  };

  const connectCopy = (button: PageElement, command: PageElement): void => {
    button.hidden = false;
    button.addEventListener('click', () => {
      const select = (): void => {
        browser.getSelection()?.selectAllChildren(command);
        button.textContent = 'Selected';
      };
      const { clipboard } = browser.navigator;
      if (clipboard === undefined) return select();
      clipboard.writeText(command.textContent ?? '').then(() => {
        button.textContent = 'Copied';
      }, select);
    });
  };

  draw(themeNow());
  systemIsDark.addEventListener('change', () => draw(themeNow()));
  // The width of the paper is not known yet when a chart must be drawn for it: `data-printing` fixes the picture's own
  // size, the style sheet stretches it to the paper, and three dots per pixel keep its letters sharp.
  browser.addEventListener('beforeprint', () => {
    root.dataset.printing = '';
    draw('light', 3);
  });
  browser.addEventListener('afterprint', () => {
    delete root.dataset.printing;
    draw(themeNow());
  });
  if (toggle !== null) {
    toggle.hidden = false;
    toggle.addEventListener('click', () => {
      root.dataset.theme = themeNow() === 'dark' ? 'light' : 'dark';
      draw(themeNow());
    });
  }
  const copy = document.getElementById('copy');
  const command = document.getElementById('command');
  if (copy !== null && command !== null) connectCopy(copy, command);
}
