import { expect, test } from 'vitest';
import { compareRuns } from '../../../../agent/backtest/compare-runs.ts';
import { callKey } from '../../../../agent/backtest/recording.ts';
import type { JsonSchema } from '../../../../agent/definition/manifest.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { call, outline } from '../../../support/outlined-runs.ts';

const schema: JsonSchema = {
  type: 'object',
  properties: {
    to: { type: 'string' },
    euros: { type: 'number' },
    note: { type: 'string', default: 'none' },
    tags: { type: 'array', items: { type: 'string' } },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { count: { type: 'integer', default: 1 } } },
    },
  },
  required: ['to', 'euros'],
};
const schemas = new Map([['pay', schema]]);
const plain = { to: 'Ann', euros: 5 };

test.each<[what: string, one: Json, other: Json]>([
  ['a number as text', plain, { to: 'Ann', euros: '5' }],
  ['a default written out', plain, { to: 'Ann', euros: 5, note: 'none' }],
  ['null for an optional field', plain, { to: 'Ann', euros: 5, tags: null }],
  ['a list as JSON text', { ...plain, tags: ['a'] }, { ...plain, tags: '["a"]' }],
  ['an object as JSON text', plain, '{"euros":5,"to":"Ann"}'],
  ['a default inside a list', { ...plain, lines: [{}] }, { ...plain, lines: [{ count: '1' }] }],
])('a backtest takes %s as the same input', (_what, one, other) => {
  const key = (toolInput: Json) => callKey({ tool: 'pay', toolInput }, schemas);
  expect(key(other)).toBe(key(one));
  expect(compareRuns(outline([call('pay', one)]), outline([call('pay', other)]), schemas).verdict).toBe(
    'same',
  );
});

test.each<[one: Json, other: Json]>([
  [plain, { to: 'Ann', euros: 50 }],
  [plain, { to: 'Ann', euros: '5 or 6' }],
  [plain, { to: 'Ann', euros: 5, note: 'thanks' }],
  [plain, { to: 'Ann', euros: null }],
  [plain, { to: 'Ann', euros: 5, other: null }],
  [
    { to: '5', euros: 5 },
    { to: '05', euros: 5 },
  ],
])('a backtest tells %j from %j', (one, other) => {
  expect(callKey({ tool: 'pay', toolInput: other }, schemas)).not.toBe(
    callKey({ tool: 'pay', toolInput: one }, schemas),
  );
});
