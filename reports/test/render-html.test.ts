import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { chartConfig } from '../src/charts.js';
import { palettes } from '../src/palette.js';
import { renderHtml } from '../src/render-html.js';
import type { Report } from '../src/report.js';
import { ticks } from '../src/ticks.js';
import { barChart, lineChart, smallReport } from './small-report.js';

const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1]!);

/** The page without its style, libraries, data and code. */
const skeleton = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, '<style></style>')
    .replace(/(<script[^>]*>)[\s\S]*?<\/script>/g, '$1</script>');

const attack = `</script><img src=x onerror="alert(1)"> 'q' & | <!-- \u2028 ]]> \${x}`;

describe('a report as a page', () => {
  it('shows question, headline, figures, verdicts, sections and the way to make it again, in this order', () => {
    expect(skeleton(renderHtml(smallReport))).toMatchInlineSnapshot(`
      "<!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Does it hold?</title>
      <link rel="icon" href="data:,">
      <style></style>
      <noscript><style>.plot { display: none; }</style></noscript>
      </head>
      <body>
      <main>
      <header>
      <div class="top"><h1>Does it hold?</h1><button type="button" id="theme" hidden>Theme</button></div>
      <p class="question">Does the level follow the limit?</p>
      <p class="headline bad"><span aria-hidden="true">✗</span>1 of 2 hold</p>
      <dl class="figures" style="--columns: 2"><div><dt>Refused</dt><dd class="value">2.1 %</dd><dd class="note">3 of 143</dd></div><div><dt>Level</dt><dd class="value">3</dd></div></dl>
      <noscript><p>The charts need JavaScript; their numbers are in the tables below them.</p></noscript>
      </header>
      <section>
      <h2>Verdicts <span class="tally">1 of 2 pass</span></h2>
      <ul class="verdicts" role="list">
      <li><span class="badge good">PASS</span><span>lost = 0</span></li>
      <li><span class="badge bad">FAIL</span><span>idle_reset = 2 (wanted: at most 1)</span></li>
      </ul>
      </section>
      <section>
      <h2>Level</h2>
      <p>It rises.</p>
      <p>It falls.</p>
      <div class="charts">
      <figure>
      <figcaption><h3>Level over time</h3><p>The level rises to 5 and is cut to 3 at 40 s.</p></figcaption>
      <div class="plot line" style="--legend: 5"><canvas role="img" aria-label="Level over time. The level rises to 5 and is cut to 3 at 40 s."></canvas></div>
      <details><summary>Numbers</summary><div class="table" role="region" tabindex="0" aria-label="Level over time (units)"><table>
      <caption>Level over time (units)</caption>
      <thead><tr><th scope="col">series</th><th scope="col" class="number">points</th><th scope="col" class="number">first</th><th scope="col" class="number">lowest</th><th scope="col" class="number">highest</th><th scope="col" class="number">last</th></tr></thead>
      <tbody>
      <tr><th scope="row">level</th><td class="number">3</td><td class="number">4</td><td class="number">3</td><td class="number">5</td><td class="number">3</td></tr>
      <tr><th scope="row">used</th><td class="number">3</td><td class="number">1</td><td class="number">1</td><td class="number">2</td><td class="number">2</td></tr>
      <tr><th scope="row">most</th><td class="number">2</td><td class="number">6</td><td class="number">6</td><td class="number">6</td><td class="number">6</td></tr>
      <tr><th scope="row">refused</th><td class="number">1</td><td class="number">5</td><td class="number">5</td><td class="number">5</td><td class="number">5</td></tr>
      </tbody>
      </table></div></details>
      </figure>
      <figure>
      <figcaption><h3>How long it took</h3><p>Most took under 2 s.</p></figcaption>
      <div class="plot bar" style="--legend: 2"><canvas role="img" aria-label="How long it took. Most took under 2 s."></canvas></div>
      <details><summary>Numbers</summary><div class="table" role="region" tabindex="0" aria-label="How long it took"><table>
      <caption>How long it took</caption>
      <thead><tr><th scope="col">seconds</th><th scope="col" class="number">done</th><th scope="col" class="number">lost</th></tr></thead>
      <tbody>
      <tr><th scope="row">0–1</th><td class="number">12</td><td class="number">0</td></tr>
      <tr><th scope="row">1–2</th><td class="number">30</td><td class="number">1</td></tr>
      <tr><th scope="row">2–3</th><td class="number">1,200</td><td class="number">0</td></tr>
      </tbody>
      </table></div></details>
      </figure>
      </div>
      <div class="table" role="region" tabindex="0" aria-label="Ways compared"><table>
      <caption>Ways compared</caption>
      <thead><tr><th scope="col">Way</th><th scope="col" class="number">Time</th></tr></thead>
      <tbody>
      <tr><th scope="row">steady</th><td class="number">1m 30s</td></tr>
      <tr><th scope="row">eager</th><td class="number">2m</td></tr>
      </tbody>
      </table></div>
      </section>
      <section>
      <h2>Make it again</h2>
      <div class="replay"><pre id="command">npx tool run &quot;a file.yaml&quot; --seed 42</pre><button type="button" id="copy" hidden>Copy</button></div>
      <dl class="provenance"><div><dt>Seed</dt><dd>42</dd></div></dl>
      </section>
      </main>
      <script></script>
      <script type="application/json" id="data"></script>
      <script></script>
      </body>
      </html>
      "
    `);
  });

  it('is one file that can ask the network for nothing', () => {
    const html = renderHtml(smallReport);
    expect(html).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"`,
    );
    const links = [...skeleton(html).matchAll(/(?:src|href|action)="([^"]*)"/g)].map((match) => match[1]);
    expect(links).toEqual(['data:,']);
    expect(html).not.toMatch(/@import|url\(|sourceMappingURL/);
  });

  it('carries no library when there is nothing to draw', () => {
    const html = renderHtml({ ...smallReport, sections: [] });
    expect(html.length).toBeLessThan(30_000);
    expect(renderHtml(smallReport).length).toBeGreaterThan(200_000);
  });

  it('escapes every text, in markup and in data', () => {
    const chart = { ...lineChart, title: attack, description: attack, xLabel: attack, yLabel: attack };
    const html = renderHtml({
      title: attack,
      question: attack,
      headline: { text: attack, tone: 'neutral' },
      figures: [{ label: attack, value: attack, note: attack }],
      verdicts: [{ pass: true, text: attack }],
      sections: [
        {
          heading: attack,
          text: attack,
          charts: [{ ...chart, series: [{ ...lineChart.series[0]!, name: attack }] }],
          tables: [{ caption: attack, columns: [{ label: attack, numeric: false }], rows: [[attack]] }],
        },
      ],
      provenance: [{ label: attack, value: attack }],
      replay: attack,
    });
    expect(html).not.toMatch(/<img|<!--/);
    expect(html.match(/<\/script/g)).toHaveLength(3);
    const [, data] = scriptsOf(html);
    expect(data).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(data!)).toMatchObject({ charts: [{ title: attack, series: [{ name: attack }] }] });
    const attributes = [...html.matchAll(/aria-label="([^"]*)"/g)].map((match) => match[1]);
    expect(attributes).toHaveLength(3);
    for (const value of attributes) expect(value).toContain('onerror=&quot;alert(1)&quot;&gt; &#39;q&#39; &amp;');
  });

  it('thins a long series in the data and tells its numbers whole', () => {
    const points = Array.from({ length: 50_000 }, (_, i): [number, number] => [i, i === 777 ? 9 : i % 3]);
    const long: Report = {
      ...smallReport,
      sections: [
        { heading: 'h', charts: [{ ...lineChart, series: [{ ...lineChart.series[0]!, points }] }], tables: [] },
      ],
    };
    const html = renderHtml(long);
    const data = JSON.parse(scriptsOf(html)[1]!) as { charts: [{ series: [{ points: [number, number][] }] }] };
    expect(data.charts[0].series[0].points.length).toBeLessThanOrEqual(4000);
    expect(data.charts[0].series[0].points).toContainEqual([777, 9]);
    expect(html).toContain('<th scope="row">level</th><td class="number">50,000</td><td class="number">0</td>');
  });
});

describe('the script of the page', () => {
  /** Runs the page's own scripts, libraries aside, in a browser that only remembers. */
  function opened(options: { prefersDark: boolean; clipboard: boolean }) {
    const html = renderHtml(smallReport);
    const [, data, code] = scriptsOf(html) as [string, string, string];
    const element = (text = '') => {
      const clicks: (() => void)[] = [];
      return {
        textContent: text,
        hidden: true,
        click: () => {
          for (const run of clicks) run();
        },
        addEventListener: (_: string, run: () => void) => clicks.push(run),
      };
    };
    const elements: Record<string, ReturnType<typeof element>> = {
      data: element(data),
      theme: element(),
      copy: element('Copy'),
      command: element(smallReport.replay),
    };
    const root: { dataset: { theme?: string; printing?: string } } = { dataset: {} };
    const canvases = [element(), element()];
    const listeners: Record<string, () => void> = {};
    const system = {
      matches: options.prefersDark,
      addEventListener: (_: string, run: () => void) => (listeners.system = run),
    };
    const live = new Set<object>();
    const configs: unknown[] = [];
    const copied: string[] = [];
    const selected: unknown[] = [];
    class Chart {
      constructor(_canvas: unknown, config: unknown) {
        configs.push(config);
        live.add(this);
      }
      destroy(): void {
        live.delete(this);
      }
    }
    const clipboard = { writeText: async (text: string) => void copied.push(text) };
    const window = {
      document: {
        documentElement: root,
        getElementById: (id: string) => elements[id] ?? null,
        querySelectorAll: () => canvases,
      },
      navigator: options.clipboard ? { clipboard } : {},
      getComputedStyle: () => ({ fontFamily: 'Plain' }),
      matchMedia: () => system,
      addEventListener: (type: string, run: () => void) => (listeners[type] = run),
      getSelection: () => ({ selectAllChildren: (node: unknown) => selected.push(node) }),
      Chart,
    };
    vm.runInNewContext(code, { window, document: window.document });
    return { elements, root, listeners, system, live, configs, copied, selected };
  }

  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === 'function' ? String(part) : part)));

  it('draws each chart with the configuration that the PNG is drawn with', () => {
    const { configs } = opened({ prefersDark: false, clipboard: true });
    const look = { palette: palettes.light, ticks, fontFamily: 'Plain', fontSize: 13, titleColumns: 0 };
    expect(configs.map(plain)).toEqual([lineChart, barChart].map((chart) => plain(chartConfig(chart, look))));
  });

  it('follows the system until the reader chooses, draws again in the colours of the theme, and prints in light', () => {
    const page = opened({ prefersDark: true, clipboard: true });
    const grounds = (): unknown[] =>
      page.configs.splice(0).map((config) => (config as { options: { color: string } }).options.color);
    const { light, dark } = { light: palettes.light.text, dark: palettes.dark.text };
    expect(grounds()).toEqual([dark, dark]);
    expect(page.elements.theme).toMatchObject({ hidden: false, textContent: 'Light theme' });
    page.elements.theme!.click();
    expect(page.root.dataset.theme).toBe('light');
    expect(grounds()).toEqual([light, light]);
    page.elements.theme!.click();
    expect(page.root.dataset.theme).toBe('dark');
    expect(grounds()).toEqual([dark, dark]);
    page.listeners.beforeprint!();
    expect(page.root.dataset.printing).toBe('');
    expect(page.configs).toMatchObject([{ options: { devicePixelRatio: 3 } }, { options: { devicePixelRatio: 3 } }]);
    expect(grounds()).toEqual([light, light]);
    page.listeners.afterprint!();
    expect(page.root.dataset.printing).toBeUndefined();
    expect(grounds()).toEqual([dark, dark]);
    expect(page.live.size).toBe(2);
  });

  it('draws again when the system changes its theme', () => {
    const page = opened({ prefersDark: false, clipboard: true });
    page.system.matches = true;
    page.listeners.system!();
    expect(page.elements.theme!.textContent).toBe('Light theme');
    expect(page.configs.at(-1)).toMatchObject({ options: { color: palettes.dark.text } });
  });

  it('copies the command, or selects it where there is no clipboard', async () => {
    const page = opened({ prefersDark: false, clipboard: true });
    page.elements.copy!.click();
    expect(page.copied).toEqual([smallReport.replay]);
    await Promise.resolve();
    await Promise.resolve();
    expect(page.elements.copy).toMatchObject({ hidden: false, textContent: 'Copied' });
    const bare = opened({ prefersDark: false, clipboard: false });
    bare.elements.copy!.click();
    expect(bare.selected).toEqual([bare.elements.command]);
    expect(bare.elements.copy!.textContent).toBe('Selected');
  });
});
