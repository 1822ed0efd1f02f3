import { expect, test } from 'vitest';
import { contextVariables, missingContext } from '../../../../agent/definition/run-context.ts';
import { checkOverrides } from '../../../../agent/start/overrides.ts';
import { createContextCheck } from '../../../../config/options/run-context-option.ts';
import { z } from '../../../../index.ts';

const context = { user: 'u-1', level: 2, isNew: false, tags: ['a'], nothing: null };

test('a prompt has places for texts, numbers and booleans of the context, and for nothing else of it', () => {
  expect(contextVariables(context)).toEqual({
    'context.user': 'u-1',
    'context.level': '2',
    'context.isNew': 'false',
  });
  const prompt = {
    system: 'For {context.user}, {context.tags}, {user}',
    human: '{context.nobody} {context.user}',
  };
  expect(missingContext(prompt, context)).toEqual(['{context.tags}', '{context.nobody}']);
  expect(missingContext({ system: 'For {context.user}' }, undefined)).toEqual(['{context.user}']);
});

const schema = z.object({ user: z.string(), locale: z.string().default('en') });

const check = (given: Parameters<typeof createContextCheck>[0]) => (value: object | undefined) =>
  createContextCheck(given, new Map())('any', value as typeof context);

test('the schema reads a context, and fills in what it leaves out', () => {
  expect(check(schema)({ user: 'u-1' })).toEqual({ user: 'u-1', locale: 'en' });
  expect(check(undefined)(undefined)).toBeUndefined();
  expect(check(z.object({}))(undefined)).toEqual({});
});

test.each([
  [schema, undefined, 'the context is missing, and the config wants one'],
  [schema, { user: 7 }, 'the context does not fit the schema of the config'],
  [undefined, { user: 'u-1' }, 'Add `context: z.object({ … })` to defineConfig'],
  [z.any().transform(() => 7), {}, 'does not give an object'],
])('a context that the config cannot take is refused, with the remedy', (given, value, sentence) => {
  expect(() => check(given)(value)).toThrow(sentence);
});

test("an agent's schema goes before the config's, and an agent without one takes the context of its caller", () => {
  const own = z.object({ customer: z.string() });
  const agents = new Map([
    ['desk', { context: own }],
    ['batch', {}],
  ]);
  const alone = createContextCheck(undefined, agents);
  expect(alone('desk', { customer: 'c-1', more: 1 })).toEqual({ customer: 'c-1' });
  expect([alone('batch', undefined), alone('batch', { customer: 'c-1' })]).toEqual([
    undefined,
    { customer: 'c-1' },
  ]);
  expect(() => alone('desk', undefined)).toThrow('the agent "desk" wants one');
  const both = createContextCheck(schema, agents);
  expect(both('desk', { customer: 'c-1' })).toEqual({ customer: 'c-1' });
  expect(() => both('batch', undefined)).toThrow('the config wants one');
});

test.each([[['u-1']], ['u-1'], [null], [{ user: 'x'.repeat(16_000) }]])(
  'a context that is no small object is refused',
  (value) => {
    expect(checkOverrides({ context: value })).toContain(
      'context has to be an object of at most 16000 bytes',
    );
  },
);
