import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { host } from '../../examples/background.ts';
import { geographer, nameCapitals } from '../../examples/batch.ts';
import { oneLine, terse } from '../../examples/own-kind.ts';
import { counter } from '../../examples/own-parser.ts';
import { concierge, conciergeVariables } from '../../examples/own-prompt.ts';
import { comparison } from '../../examples/structured-output.ts';
import { editor, researcher } from '../../examples/sub-agent.ts';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import { useRig } from '../support/rig.ts';
import { promptOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** The examples that take control of a part of the agent: each does what its comment says. */
const rig = useRig({
  agents: [
    concierge,
    counter,
    terse,
    comparison,
    { ...geographer, kind: 'tool-calling' },
    editor,
    researcher,
    host,
  ],
});

async function ask(agent: { name: string }, question: string, options: StartOptions = {}) {
  const run = await rig.client.start(agent.name, question, options);
  const result = await run.result();
  const steps = result.intermediateSteps.map(({ action, observation, call }) => [
    call,
    action.tool,
    action.toolInput,
    observation,
  ]);
  const requests = await allOf(run.requests({ follow: false, kinds: [oneLine, ...builtInKinds] }));
  return { run, result, steps, prompts: requests.map(({ request }) => promptOf(request)) };
}

test('in own-prompt the model reads the own texts with the values of this run, and the format of the kind', async () => {
  const { result, steps, prompts } = await ask(concierge, 'Is there soup left?', {
    variables: conciergeVariables,
  });
  expect(result.output).toBe('There are three bowls of soup left, Ms Ito.');
  expect(steps).toEqual([['1.1', 'kitchen', 'soup', 'three bowls']]);
  expect(prompts[0]).toContain('You are the concierge of the Grand Hotel and speak with Ms Ito.');
  expect(prompts[0]).toContain('Action: the tool to use, one of [kitchen]');
  expect(prompts[0]).toMatch(/Be brief and polite\.\n\nQuestion: Is there soup left\?\nThought:$/u);
});

test('in own-parser keywords in bold are read', async () => {
  const { result, steps } = await ask(counter, 'How long is "durable"?');
  expect(result).toMatchObject({ output: 'seven letters', iterations: 2 });
  expect(steps).toEqual([['1.1', 'word length', 'durable', '7']]);
});

test('in own-kind a line of the own format is an action, and the model is told of one that is not', async () => {
  const { result, steps, prompts } = await ask(terse, 'When does the bakery close?');
  expect(result).toMatchObject({ output: 'It closes at five.', iterations: 3 });
  expect(steps).toEqual([
    ['1.1', '_Exception', expect.any(String), 'Write one line: CALL tool: input, or ANSWER: text.'],
    ['2.1', 'opening hours', 'the bakery', 'the bakery is open from 9 to 5'],
  ]);
  expect(prompts[2]).toContain('RESULT: the bakery is open from 9 to 5');
});

test('in structured-output there are two calls in one turn, and prose is asked for again as an object', async () => {
  const { result, steps } = await ask(comparison, 'Where is it warmer, in Lisbon or in Oslo?');
  expect(result).toMatchObject({ output: { warmer: 'Lisbon', difference: 13 }, iterations: 3 });
  expect(steps).toEqual([
    ['1.1', 'temperature', { city: 'Lisbon' }, { city: 'Lisbon', celsius: 21 }],
    ['1.2', 'temperature', { city: 'Oslo' }, { city: 'Oslo', celsius: 8 }],
    ['2.1', '_Exception', expect.any(String), expect.stringContaining('does not fit the schema')],
  ]);
});

test('in sub-agent the tool is a run of the other agent, under the id of the call', async () => {
  const { run, result, steps } = await ask(editor, 'Since when has the Eiffel Tower been open?');
  expect(result.output).toBe('The Eiffel Tower has been open since 1889.');
  expect(steps).toEqual([
    ['1.1', 'researcher', 'When was the Eiffel Tower opened?', 'It was opened in 1889.'],
  ]);
  const { output, intermediateSteps } = await rig.client.get(`${run.id}/1.1`).result();
  expect(output).toBe('It was opened in 1889.');
  expect(intermediateSteps.map(({ action }) => action.tool)).toEqual(['archive']);
});

test('in background the answer waits for the call, and is given again with its result', async () => {
  const { result, steps, prompts } = await ask(host, 'Prepare a party for four.');
  expect(result.output).toBe('The table is set, and there is a lemon cake.');
  expect(steps).toEqual([
    ['1.1', 'bake', 'lemon', 'The lemon cake is ready.'],
    ['2.1', 'set_table', '4', 'The table is set for 4.'],
  ]);
  expect(prompts[1]).toContain('Started in the background, with the ticket 1.1.');
  expect(prompts[3]).toContain('the ticket 1.1 (bake):\nThe lemon cake is ready.');
});

test('batch prints one answer for each input, in order', async () => {
  const lines = await nameCapitals(
    rig.client as unknown as Parameters<typeof nameCapitals>[0],
    ['Peru', 'Norway', 'Atlantis'],
    randomUUID(),
  );
  expect(lines).toEqual(['Peru: Lima', 'Norway: Oslo', 'Atlantis: I do not know.']);
});
