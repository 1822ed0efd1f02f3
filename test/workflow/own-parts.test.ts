import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { defineTool } from '../../tools/tool.ts';
import { useRig, stepsOf } from '../support/rig.ts';
import { answer, modelOf, promptOf, script } from '../support/scripts.ts';

/** What a user replaces of an agent: schema, texts, parser, kind. */
const echo = defineTool({ name: 'echo', description: 'says it again', run: (input) => `echo ${input}` });
const tools = [echo];
const forgetful = modelOf((step, request) =>
  promptOf(request).includes('does not fit the schema')
    ? answer('```json\n{"city": "Oslo", "degrees": "21"}\n```')
    : answer(step === '1' ? 'It is warm.' : '{"city": 5}'),
);
const throwing = script('hm');
const forecast = z.object({ city: z.string(), degrees: z.coerce.number() });

const rig = useRig({
  agents: [
    { name: 'forecaster', model: forgetful, tools, output: forecast },
    { name: 'strict', model: script('It is warm.'), tools, output: forecast, handleParsingErrors: false },
    { name: 'named', model: script(answer('ok')), tools, prompt: { prefix: 'You are {who}, {mood}.' } },
    {
      name: 'throwing',
      model: throwing,
      tools,
      parser() {
        throw new RangeError('oops');
      },
    },
    {
      name: 'own-parser',
      model: script('CALL echo hello', 'DONE it said hello'),
      tools,
      parser({ text }) {
        const [word, tool = '', ...rest] = text.split(' ');
        return word === 'DONE'
          ? { type: 'finish', output: [tool, ...rest].join(' '), log: text }
          : { type: 'act', actions: [{ tool, toolInput: rest.join(' '), log: text }] };
      },
    },
    {
      name: 'own-kind',
      model: script('echo: hi', 'bye'),
      tools,
      kind: {
        name: 'terse',
        stop: ['###'],
        prompt: { system: 'Be terse. Tools: {tools}' },
        stoppedOutput: 'stopped',
        chatHistory: true,
        render: ({ manifest, input, steps }) => ({
          type: 'messages',
          messages: [
            { role: 'system', content: manifest.prompt['system'] ?? '' },
            { role: 'user', content: `${input} (${steps.length})` },
          ],
        }),
        parse({ text }) {
          const [tool = '', toolInput] = text.split(': ');
          return toolInput === undefined
            ? { type: 'finish', output: text, log: text }
            : { type: 'act', actions: [{ tool, toolInput, log: text }] };
        },
      },
    },
  ],
});

describe('an agent with an output schema', () => {
  test('is asked again, with the error, until the answer fits; every time is an iteration', async () => {
    const { output, iterations, steps } = await stepsOf(rig, 'forecaster');
    expect(output).toEqual({ city: 'Oslo', degrees: 21 });
    expect(iterations).toBe(2);
    expect(steps).toEqual([['1.1', '_Exception', expect.stringContaining('it is not JSON')]]);
    expect(promptOf(forgetful.requests[0]?.request)).toContain('"required":["city","degrees"]');
  });

  test('fails where parse errors are not handled', async () => {
    await expect(rig.client.run('strict', 'what?')).rejects.toMatchObject({ type: 'OutputParserError' });
  });
});

describe('variables', () => {
  test('fill the names that the prompt texts have for them', async () => {
    const run = await rig.client.start('named', 'what?', { variables: { who: 'Ada', mood: '{tools}' } });
    await run.result();
    for await (const { request } of run.requests({ follow: false })) {
      expect(promptOf(request)).toContain('You are Ada, {tools}.');
    }
  });

  test('without a place in any text fail the run before the model is asked', async () => {
    await expect(
      rig.client.run('named', 'what?', { variables: { who: 'Ada', mod: 'x' } }),
    ).rejects.toMatchObject({ type: 'UnknownVariable', report: { usage: noUsage } });
  });
});

test('a parser that throws fails the run at once: no further call is paid', async () => {
  await expect(rig.client.run('throwing', 'what?')).rejects.toMatchObject({
    type: 'RangeError',
    message: expect.stringContaining(
      'Agent "throwing": its kind zero-shot, its parser or its output schema threw',
    ),
  });
  expect(throwing.requests).toHaveLength(1);
});

test('a parser of the agent reads replies in the place of its kind', async () => {
  expect(await stepsOf(rig, 'own-parser')).toMatchObject({
    output: 'it said hello',
    steps: [['1.1', 'echo', 'echo hello']],
  });
});

test('a kind of the user needs nothing but the agent that brings it', async () => {
  expect(await stepsOf(rig, 'own-kind')).toMatchObject({
    output: 'bye',
    steps: [['1.1', 'echo', 'echo hi']],
  });
});
