import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../src/render-markdown.js';
import type { Report } from '../src/report.js';
import { smallReport } from './small-report.js';

describe('a report in Markdown', () => {
  it('has the picture of a chart where one is named, its numbers where none is', () => {
    const images = { 'Level over time': 'pictures/level (1).png' };
    expect(renderMarkdown(smallReport, { images })).toMatchInlineSnapshot(`
      "# Does it hold?

      > Does the level follow the limit?

      **1 of 2 hold**

      | Figure | Value |  |
      | --- | ---: | --- |
      | Refused | 2.1 % | 3 of 143 |
      | Level | 3 |  |

      ## Verdicts

      1 of 2 pass.

      - **PASS** lost = 0
      - **FAIL** idle_reset = 2 (wanted: at most 1)

      ## Level

      It rises.

      It falls.

      **Level over time**

      ![The level rises to 5 and is cut to 3 at 40 s.](pictures/level%20%281%29.png)

      **How long it took**

      Most took under 2 s.

      | seconds | done | lost |
      | --- | ---: | ---: |
      | 0–1 | 12 | 0 |
      | 1–2 | 30 | 1 |
      | 2–3 | 1,200 | 0 |

      **Ways compared**

      | Way | Time |
      | --- | ---: |
      | steady | 1m 30s |
      | eager | 2m |

      ## Make it again

      \`\`\`sh
      npx tool run "a file.yaml" --seed 42
      \`\`\`

      - Seed: 42
      "
    `);
  });

  it('lets no text of the report become markup', () => {
    const attack = '</script><img src=x onerror=alert(1)>\n\n# a | b `c` *d* _e_ [f](g) &amp; idle_reset ~h~ \\';
    const escaped =
      '\\</script>\\<img src=x onerror=alert(1)> # a \\| b \\`c\\` \\*d\\* \\_e\\_ \\[f\\](g) \\&amp; idle_reset \\~h\\~ \\\\';
    const text = renderMarkdown({
      ...smallReport,
      title: attack,
      verdicts: [{ pass: true, text: attack }],
      sections: [
        {
          heading: 'x',
          text: '# no heading\n\n- no list\n\n3. nor one with numbers',
          charts: [],
          tables: [{ caption: 'c', columns: [{ label: 'k', numeric: false }], rows: [[attack]] }],
        },
      ],
    });
    const lines = text.split('\n');
    expect(lines[0]).toBe(`# ${escaped}`);
    expect(lines).toContain(`- **PASS** ${escaped}`);
    expect(lines).toContain(`| ${escaped} |`);
    expect(lines).toContain('\\# no heading');
    expect(lines).toContain('\\- no list');
    expect(lines).toContain('3\\. nor one with numbers');
  });

  it('fences a command that holds a fence', () => {
    expect(renderMarkdown({ ...smallReport, replay: 'echo "```"' })).toContain('\n````sh\necho "```"\n````\n');
  });

  it('leaves out what a report does not have', () => {
    const bare: Report = { ...smallReport, figures: [], verdicts: [], sections: [], provenance: [] };
    expect(renderMarkdown(bare)).toBe(
      '# Does it hold?\n\n> Does the level follow the limit?\n\n**1 of 2 hold**\n\n## Make it again\n\n```sh\nnpx tool run "a file.yaml" --seed 42\n```\n',
    );
  });
});
