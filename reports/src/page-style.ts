/**
 * The style sheet of the HTML page. Both themes are custom properties taken from the palettes; the reader's system
 * chooses one, `data-theme` on the root overrides it, and paper is always light. System fonts only, nothing is fetched.
 */

import { type Palette, palettes } from './palette.js';

export function pageStyle(): string {
  const light = properties(palettes.light);
  const dark = properties(palettes.dark);
  return `
:root { color-scheme: light; ${light} }
@media screen and (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; ${dark} } }
@media screen { :root[data-theme="dark"] { color-scheme: dark; ${dark} } }
${LAYOUT}
@media print { ${PAPER} }
`.trim();
}

function properties(palette: Palette): string {
  const colors = {
    page: palette.page,
    card: palette.card,
    border: palette.border,
    text: palette.text,
    quiet: palette.quiet,
    accent: palette.roles.primary,
    ...palette.tones,
  };
  return Object.entries(colors)
    .map(([name, color]) => `--${name}: ${color};`)
    .join(' ');
}

const LAYOUT = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere; }
html { font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
main { max-width: 84rem; margin: 0 auto; padding: clamp(1rem, 3vw, 2.75rem) clamp(0.875rem, 3vw, 2.5rem); }
h1, h2, h3, p { margin: 0; }
h1 { font-size: clamp(1.5rem, 1.1rem + 1.6vw, 2.25rem); line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1.3rem; line-height: 1.3; letter-spacing: -0.01em; }
h3 { font-size: 1.02rem; line-height: 1.35; }
.top { display: flex; align-items: flex-start; justify-content: space-between; gap: 1rem; }
button { font: inherit; font-size: 0.875rem; line-height: 1.3; color: var(--text); background: var(--card);
  border: 1px solid var(--border); border-radius: 0.5rem; padding: 0.45rem 0.75rem; cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.question { margin-top: 0.5rem; max-width: 60rem; font-size: 1.1rem; color: var(--quiet); text-wrap: pretty; }
.headline { margin-top: 1.25rem; padding: 0.9rem 1.1rem; display: flex; gap: 0.75rem; font-size: 1.1rem; font-weight: 600;
  background: var(--card); border: 1px solid var(--border); border-left: 0.35rem solid var(--tone); border-radius: 0.6rem; }
.headline > span { color: var(--tone); }
.good { --tone: var(--good); } .bad { --tone: var(--bad); } .warn { --tone: var(--warn); } .neutral { --tone: var(--neutral); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.5rem, 45%), 1fr)); gap: 0.75rem; margin: 0.75rem 0 0; }
.figures > div { padding: 0.8rem 1rem; background: var(--card); border: 1px solid var(--border); border-radius: 0.6rem;
  display: flex; flex-direction: column; }
.figures dt { font-size: 0.875rem; color: var(--quiet); }
.figures dd { margin: 0; }
.figures .value { font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; font-variant-numeric: tabular-nums; }
.figures .note { font-size: 0.875rem; color: var(--quiet); }
section { margin-top: 2.5rem; }
section > p { margin-top: 0.5rem; max-width: 60rem; text-wrap: pretty; }
.verdicts { list-style: none; margin: 0.75rem 0 0; padding: 0; background: var(--card); border: 1px solid var(--border); border-radius: 0.6rem; }
.verdicts li { display: flex; gap: 0.8rem; align-items: baseline; padding: 0.55rem 1rem; }
.verdicts li + li { border-top: 1px solid var(--border); }
.badge { flex: none; width: 4.2em; font-size: 0.8rem; font-weight: 700; letter-spacing: 0.03em; text-align: center; color: var(--tone);
  border: 1px solid var(--tone); border-radius: 1rem; }
.tally { font-size: 1rem; font-weight: 400; color: var(--quiet); letter-spacing: 0; margin-left: 0.4rem; }
.charts { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; margin-top: 1rem; }
@media (min-width: 62rem) {
  .figures { grid-template-columns: repeat(var(--columns), minmax(0, 20rem)); }
  .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .charts > :first-child:nth-last-child(odd) { grid-column: 1 / -1; }
}
figure { margin: 0; padding: 1rem 1.1rem; background: var(--card); border: 1px solid var(--border); border-radius: 0.6rem; min-width: 0; }
figcaption p { margin-top: 0.2rem; font-size: 0.9rem; line-height: 1.45; color: var(--quiet); max-width: 60rem; text-wrap: pretty; }
.plot { position: relative; margin-top: 0.75rem; height: 22rem; }
.plot.heatmap { height: 27rem; }
[data-printing] .plot { width: 40rem; max-width: 100%; height: 17rem; }
@media (max-width: 40rem) { .plot, .plot.heatmap { height: calc(16.5rem + var(--legend, 0) * 1rem); } figure { padding: 0.9rem 0.8rem; } }
details { margin-top: 0.6rem; font-size: 0.9rem; }
summary { cursor: pointer; color: var(--quiet); width: fit-content; }
.table { margin-top: 1rem; background: var(--card); border: 1px solid var(--border); border-radius: 0.6rem; overflow-x: auto; container-type: inline-size; }
.table { background: linear-gradient(to left, var(--card) 1.5rem, transparent) 100% 0 / 4rem 100% no-repeat local,
  linear-gradient(to left, var(--border), transparent) 100% 0 / 1.25rem 100% no-repeat scroll, var(--card); }
details .table { margin-top: 0.5rem; }
table { border-collapse: separate; border-spacing: 0; width: 100%; font-size: 0.925rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; padding: 0.8rem 1rem 0.4rem; font-weight: 600; position: sticky; left: 0; max-width: 100cqi; width: fit-content; }
th, td { text-align: left; font-weight: 400; padding: 0.45rem 1rem; border-top: 1px solid var(--border); vertical-align: top; }
thead th { border-top: 0; font-weight: 600; font-size: 0.85rem; color: var(--quiet); vertical-align: bottom; }
th:first-child:not(.number) { min-width: min(9rem, 40cqi); max-width: 50cqi; overflow-wrap: break-word; position: sticky; left: 0; background: var(--card); }
.number { text-align: right; white-space: nowrap; }
thead .number { min-width: 8rem; white-space: normal; }
.replay { display: flex; gap: 0.75rem; align-items: flex-start; margin-top: 0.75rem; padding: 0.7rem 0.7rem 0.7rem 1rem;
  background: var(--card); border: 1px solid var(--border); border-radius: 0.6rem; }
pre { margin: 0; padding: 0.3rem 0; flex: 1; min-width: 0; white-space: pre-wrap; font: 0.9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas,
  "Liberation Mono", monospace; }
.provenance { display: flex; flex-wrap: wrap; gap: 0.6rem 2.25rem; margin: 1rem 0 0; font-size: 0.9rem; }
.provenance dt { color: var(--quiet); font-size: 0.8rem; }
.provenance dd { margin: 0; }
noscript p { margin-top: 1rem; color: var(--quiet); }
`.trim();

const PAPER = `
@page { margin: 1.4cm; }
body { background: none; font-size: 10.5pt; }
main { max-width: none; padding: 0; }
button, details:not([open]) { display: none; }
section { margin-top: 1.4rem; }
h2, h3, caption { break-after: avoid; }
figure, tr, .headline, .figures > div, .verdicts li, .replay { break-inside: avoid; }
.charts { grid-template-columns: minmax(0, 1fr); }
.plot.heatmap { height: 27rem; }
[data-printing] .plot { width: 100%; height: auto; }
.plot canvas { width: 100% !important; height: auto !important; }
.figures { grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); gap: 0.5rem; }
.figures > div { padding: 0.5rem 0.6rem; }
.figures .value { font-size: 1.25rem; }
.table { overflow: visible; }
th:first-child, caption { position: static; }
`.trim();
