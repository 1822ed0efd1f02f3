import { describe, expect, test } from 'vitest';
import { activityId, callPath, parseActivityId } from '../../agent/calls.ts';

describe('an activity id', () => {
  test.each<[what: string, id: string, parts: { scope: number; call: string; n: number }]>([
    ['of a model call is its iteration', '3', { scope: 0, call: '3', n: 0 }],
    ['of a tool call is what people type', '3.1', { scope: 0, call: '3.1', n: 0 }],
    ['of the definition is a word', 'resolve', { scope: 0, call: 'resolve', n: 0 }],
    ['says how often the call was scheduled again', '3.1~2', { scope: 0, call: '3.1', n: 2 }],
    ['says which agent of its workflow it belongs to', '1/3.1', { scope: 1, call: '3.1', n: 0 }],
    ['says both', '12/1000.10~11', { scope: 12, call: '1000.10', n: 11 }],
    ['of the definition of a later agent', '1/resolve', { scope: 1, call: 'resolve', n: 0 }],
  ])('%s: %s', (_what, id, parts) => {
    expect(activityId(parts.scope, parts.call, parts.n)).toBe(id);
    expect(parseActivityId(id)).toEqual(parts);
  });

  test('differs for every call', () => {
    const ids = [0, 1, 11].flatMap((scope) =>
      ['1', '11', '1.1', '1.11', '11.1', 'resolve'].flatMap((call) =>
        [0, 1, 11].map((n) => activityId(scope, call, n)),
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each([
    '',
    '3.',
    '.1',
    '3.1.2',
    '3.1~',
    '~1',
    '1/',
    '/3.1',
    '1/2/3.1',
    'a/3.1',
    '3.1 ',
    '-3',
    '3a',
    'Resolve',
    'my-activity',
    '5d7f0a1e-8a55-4b0a-9f3e-6f1f3c2b1a00',
  ])('is not ours: "%s"', (id) => {
    expect(parseActivityId(id)).toBeUndefined();
  });
});

test.each<[string, string[]]>([
  ['3.1', ['3.1']],
  ['1.1/2.1', ['1.1', '2.1']],
  ['1.1~2/10.12/3.1', ['1.1~2', '10.12', '3.1']],
  ['1/3.1', ['1/3.1']],
  ['1/3.1/2.1', ['1/3.1', '2.1']],
  ['', []],
])('the path %j leads through the calls %j', (call, path) => {
  expect(callPath(call)).toEqual(path);
});
