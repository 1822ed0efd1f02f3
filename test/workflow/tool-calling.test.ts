import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../agent/values/vocabulary.ts';
import { scripted } from '../../adapters/models/scripted/scripted.ts';
import type { ScriptedReply } from '../../adapters/models/scripted/script.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { createGate } from '../support/gate.ts';
import { useRig } from '../support/rig.ts';

/**
 * Agents with native tool calls, from the loop to the bytes, where AgentExecutor does nothing of the kind: the rest is in
 * parity.test.ts. Streams and whole replies are in test/unit/adapters/models/openai/openai-tools.test.ts.
 */

const echo = defineTool({ name: 'echo', description: 'Says it again.', run: (text) => `echo ${text}` });
const gates = [createGate(), createGate()];
/** The later a call stands in its turn, the sooner it ends. */
const backwards = defineTool({
  name: 'backwards',
  description: 'Ends after those that were called behind it.',
  input: z.object({ place: z.int() }),
  async run({ place }) {
    await gates[place]?.pass();
    await gates[place - 1]?.open();
    return `done ${place}`;
  },
});

const calls = (...toolCalls: NonNullable<ScriptedReply['toolCalls']>): ScriptedReply => ({ toolCalls });
const good = { id: 'good', name: 'echo', arguments: { __arg1: 'hi' } };
/** What the model says before `done`. */
const replies = {
  parallel: calls(
    ...[0, 1, 2].map((place) => ({ id: `c${place}`, name: 'backwards', arguments: { place } })),
  ),
  'no-ids': calls({ ...good, id: '' }, { ...good, id: '' }),
  'one-id': calls(good, { ...good, arguments: { __arg1: 'ho' } }),
} satisfies { [name: string]: ScriptedReply };
const models = new Map(Object.entries(replies).map(([name, reply]) => [name, scripted([reply, 'done'])]));
const agents = [...models].map(([name, model]): AgentDefinition => {
  return { name, kind: 'tool-calling', model, tools: [echo, backwards] };
});
const rig = useRig({ agents });

type Message = { [field: string]: Json };

/** The observations of a run, and the messages of its second request behind the question. */
async function ask(agent: keyof typeof replies) {
  const { intermediateSteps } = await rig.client.run(agent, 'what?');
  const messages = models.get(agent)?.requests[1]?.body['messages'] as Message[]; // as the adapter wrote them
  return {
    observations: intermediateSteps.map(({ observation }) => observation),
    second: messages.slice(2),
  };
}

test('a model that calls three tools at once gets them in its order, in whatever order they ended', async () => {
  const { observations, second } = await ask('parallel');
  expect(observations).toEqual(['done 0', 'done 1', 'done 2']);
  expect(second.slice(1)).toEqual(
    [0, 1, 2].map((place) => ({ role: 'tool', tool_call_id: `c${place}`, content: `done ${place}` })),
  );
});

test('calls of a server without ids get ids of our own', async () => {
  const { second } = await ask('no-ids');
  expect(second.map((message) => message['tool_call_id'])).toEqual([undefined, 'call_1_1', 'call_1_2']);
});

test('calls of a server that gives one id twice get each result under an id of its own', async () => {
  const { second } = await ask('one-id');
  expect(second[0]).toMatchObject({ tool_calls: [{ id: 'good' }, { id: 'call_1_2' }] });
  expect(second.slice(1)).toEqual([
    { role: 'tool', tool_call_id: 'good', content: 'echo hi' },
    { role: 'tool', tool_call_id: 'call_1_2', content: 'echo ho' },
  ]);
});
