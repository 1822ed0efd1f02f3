import { expect, test } from 'vitest';
import { contextVariables, missingContext } from '../../agent/definition/run-context.ts';
import { checkOverrides } from '../../agent/definition/overrides.ts';
import { createContextCheck } from '../../config/options/run-context-option.ts';
import { z } from '../../index.ts';

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

test('the schema reads a context, and fills in what it leaves out', () => {
  expect(createContextCheck(schema)({ user: 'u-1' })).toEqual({ user: 'u-1', locale: 'en' });
  expect(createContextCheck(undefined)(undefined)).toBeUndefined();
  expect(createContextCheck(z.object({}))(undefined)).toEqual({});
});

test.each([
  [schema, undefined, 'the context is missing, and the config wants one'],
  [schema, { user: 7 }, "the context does not fit the config's schema"],
  [undefined, { user: 'u-1' }, 'Add `context: z.object({ … })` to defineConfig'],
  [z.any().transform(() => 7), {}, 'does not give an object'],
])('a context that the config cannot take is refused, with the remedy', (given, value, sentence) => {
  expect(() => createContextCheck(given)(value)).toThrow(sentence);
});

test.each([[['u-1']], ['u-1'], [null], [{ user: 'x'.repeat(16_000) }]])(
  'a context that is no small object is refused',
  (value) => {
    expect(checkOverrides({ context: value })).toContain(
      'context has to be an object of at most 16000 bytes',
    );
  },
);
