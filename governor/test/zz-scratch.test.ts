import { expect, it } from 'vitest';
import { classify } from '../src/core/classify.js';
import cases from './fixtures/wire-cases.json' with { type: 'json' };
it('x', () => {
  let bad = 0;
  for (const c of cases as any[]) {
    const r: any = classify(c);
    const why: string[] = [];
    for (const m of ['class', 'retryAfterMs', 'reducesCap', 'retryable']) {
      if (r[m] !== c.expected[m]) why.push(`${m}: ${r[m]} want ${c.expected[m]}`);
    }
    if (r.scope !== c.expected.scope) why.push(`scope: ${r.scope} want ${c.expected.scope}`);
    if (JSON.stringify(r.resets) !== JSON.stringify(c.expected.resets)) why.push(`resets: ${JSON.stringify(r.resets)} want ${JSON.stringify(c.expected.resets)}`);
    if (why.length) { bad++; console.log(c.id, why.join('; '), c.expectedAlt ? JSON.stringify(c.expectedAlt) : ''); }
  }
  console.log('bad', bad);
});
