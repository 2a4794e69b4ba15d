import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPath, parsePath } from '../../src/scenario/path.js';

describe('the notation of paths', () => {
  it.each([
    ['seed', ['seed']],
    [
      'providers.acme.models.large.quotas[0].concurrency',
      ['providers', 'acme', 'models', 'large', 'quotas', 0, 'concurrency'],
    ],
    ['keys["acme/large"].cap.final', ['keys', 'acme/large', 'cap', 'final']],
    ['providers["glm-4.6"].wire', ['providers', 'glm-4.6', 'wire']],
    // A shell eats the double quotes of an argument that it is not told to keep.
    ['keys[acme/large].cap', ['keys', 'acme/large', 'cap']],
    ["keys['acme/large'].cap", ['keys', 'acme/large', 'cap']],
    ['a["]["].b', ['a', '][', 'b']],
    ['a["say \\"hi\\""]', ['a', 'say "hi"']],
    ['models.gpt-4o', ['models', 'gpt-4o']],
    ['latency.p95', ['latency', 'p95']],
  ])('reads %s', (text, path) => {
    expect(parsePath(text)).toEqual({ kind: 'path', path });
  });

  const notation = 'a path is written a.b[0].c, and a name with dots or slashes as ["acme/large"]';

  it.each([
    ['', `is empty; ${notation}`],
    ['.a', `cannot be read at character 1; ${notation}`],
    ['a..b', `cannot be read at character 2; ${notation}`],
    ['a.', `cannot be read at character 2; ${notation}`],
    ['a[0', `cannot be read at character 2; ${notation}`],
    ['a[]', `cannot be read at character 2; ${notation}`],
    ['a[0]b', `cannot be read at character 5; ${notation}`],
    ['a["\\x"]', `cannot be read at character 2; ${notation}`],
    ['x'.repeat(1001), 'a path has at most 1000 characters'],
  ])('refuses %j', (text, message) => {
    expect(parsePath(text)).toEqual({ kind: 'problem', message });
  });

  it('reads back what it writes, whatever the names are', () => {
    const part = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.nat(1000));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (path) => {
        expect(parsePath(formatPath(path))).toEqual({ kind: 'path', path });
      }),
    );
  });
});
