import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentStep, Json } from '../../agent/vocabulary.ts';
import type { ModelRequest } from '../../models/model.ts';
import { type ScriptedModel, scripted } from '../../models/scripted/scripted.ts';
import type { Script, ScriptedReply } from '../../models/scripted/script.ts';
import { type Tool, defineTool } from '../../tools/tool.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { type Rig, startRig } from '../support/rig.ts';

/** Agents with native tool calls, from the loop to the bytes: the model is asked over HTTP by the real client. */

const echo = defineTool({ name: 'echo', description: 'Says it again.', run: (text) => `echo ${text}` });
const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.int(), b: z.int() }),
  run: ({ a, b }) => a + b,
});
const direct = defineTool({
  name: 'direct',
  description: 'Answers the user.',
  returnDirect: true,
  run: (text) => ({ said: text }),
});
const tools = [echo, add, direct];

/** The later a call stands in its turn, the sooner it ends. */
function backwards(count: number): Tool {
  const gates = Array.from({ length: count + 1 }, gate);
  gates[count]?.open();
  return defineTool({
    name: 'backwards',
    description: 'Ends after those that were called behind it.',
    input: z.object({ place: z.int() }),
    async run({ place }) {
      await gates[place]?.opened;
      gates[place - 1]?.open();
      return `done ${place}`;
    },
  });
}

function gate(): { opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

interface Case {
  /** `done` comes after it. */
  reply: ScriptedReply;
  fields?: Partial<AgentDefinition>;
}

const calls = (...toolCalls: NonNullable<ScriptedReply['toolCalls']>): ScriptedReply => ({ toolCalls });
const good = { id: 'good', name: 'echo', arguments: { __arg1: 'hi' } };
const bad = { id: 'bad', name: 'add', arguments: '{"a": 1, b' };

const cases = {
  one: { reply: calls({ id: 'c1', name: 'add', arguments: { a: '2', b: 3, more: 1 } }) },
  parallel: {
    reply: calls(...[1, 2, 3].map((place) => ({ id: `c${place}`, name: 'backwards', arguments: { place } }))),
  },
  text: { reply: { text: 'Let me see.', ...calls(good) } },
  bad: { reply: calls(bad) },
  'bad-and-good': { reply: calls(bad, good) },
  'bad-strict': { reply: calls(bad, good), fields: { handleParsingErrors: false } },
  'bad-told': { reply: calls(bad, good), fields: { handleParsingErrors: 'Mind the braces.' } },
  unknown: { reply: calls({ id: 'c1', name: 'search', arguments: { q: 'x' } }) },
  invalid: { reply: calls({ id: 'c1', name: 'add', arguments: { a: 'two' } }) },
  empty: { reply: { text: '' } },
  direct: { reply: calls({ id: 'c1', name: 'direct', arguments: { __arg1: 'hi' } }) },
  'direct-and-another': { reply: calls({ id: 'c1', name: 'direct', arguments: { __arg1: 'hi' } }, good) },
  'no-ids': { reply: calls({ ...good, id: '' }, { ...good, id: '' }) },
  'one-id': { reply: calls(good, { ...good, arguments: { __arg1: 'ho' } }) },
  cut: { reply: { ...calls(good), finishReason: 'length' } },
  limit: { reply: calls(good), fields: { maxIterations: 1 } },
  trimmed: { reply: calls(good, { ...good, id: 'last' }), fields: { trimIntermediateSteps: 1 } },
} satisfies { [name: string]: Case };

describe.each([{ stream: true }, { stream: false }])(
  'a model that calls tools (stream: $stream)',
  ({ stream }) => {
    const models = new Map<string, ScriptedModel>();
    let rig: Rig;

    const last = backwards(3);
    beforeAll(async () => {
      const agents = Object.entries<Case>(cases).map(([name, { reply, fields }]): AgentDefinition => {
        const script: Script = [reply, 'done'];
        const model = scripted(script);
        models.set(name, model);
        return { name, kind: 'tool-calling', model, stream, tools: [...tools, last], ...fields };
      });
      rig = await startRig({ agents });
    });
    afterAll(() => rig.stop());

    async function ask(agent: keyof typeof cases) {
      const run = await rig.client.start(agent, 'what?');
      const { output, intermediateSteps, stopReason } = await run.result();
      const bodies = (models.get(agent)?.requests ?? []).map(({ body }) => body);
      return { output, steps: intermediateSteps, stopReason, second: afterQuestion(bodies[1]), bodies };
    }

    test('is asked with the tools, gets the result under the id of its call, and answers', async () => {
      const { output, steps, second, bodies } = await ask('one');
      expect(output).toBe('done');
      expect(steps).toMatchObject([
        {
          action: {
            tool: 'add',
            toolInput: { a: '2', b: 3, more: 1 },
            log: "\nInvoking: `add` with `{'a': '2', 'b': 3, 'more': 1}`\n\n\n",
          },
          observation: 5,
        },
      ]);
      expect(bodies[0]).toMatchObject({
        tools: [{ function: { name: 'echo' } }, { function: { name: 'add' } }, {}, {}],
      });
      expect(bodies[0]).not.toHaveProperty('stop');
      expect(second).toEqual([
        assistant(null, ['c1', 'add', '{"a":"2","b":3,"more":1}']),
        { role: 'tool', tool_call_id: 'c1', content: '5' },
      ]);
    });

    test('that calls three at once gets them in its order, in whatever order they ended', async () => {
      const { steps, second } = await ask('parallel');
      expect(observations(steps)).toEqual(['done 1', 'done 2', 'done 3']);
      expect(second.slice(1)).toEqual(
        [1, 2, 3].map((place) => ({ role: 'tool', tool_call_id: `c${place}`, content: `done ${place}` })),
      );
    });

    test('that writes beside its call finds its words again', async () => {
      const { steps, second } = await ask('text');
      expect(steps[0]?.action.log).toBe('\nInvoking: `echo` with `hi`\nresponded: Let me see.\n\n');
      expect(second[0]).toEqual(assistant('Let me see.', ['good', 'echo', '{"__arg1":"hi"}']));
    });

    test('that writes arguments nobody can read is told so, and no tool runs', async () => {
      const { output, steps, second } = await ask('bad');
      expect(output).toBe('done');
      expect(steps.map(({ action }) => action.tool)).toEqual(['_Exception']);
      expect(second).toEqual([
        assistant(null, ['bad', 'add', '{"a": 1, b']),
        {
          role: 'tool',
          tool_call_id: 'bad',
          content: expect.stringMatching(
            /^The arguments of the call of add .+\{"a": 1, b\nInvalid or incomplete/su,
          ),
        },
      ]);
    });

    test.each([
      ['bad-and-good', /Invalid or incomplete response$/u],
      ['bad-told', /Mind the braces\.$/u],
    ] as const)('that writes one call badly gets the other one done (%s)', async (agent, told) => {
      const { steps, second } = await ask(agent);
      expect(steps.map(({ action }) => action.tool)).toEqual(['_Exception', 'echo']);
      expect(second.slice(1)).toEqual([
        { role: 'tool', tool_call_id: 'bad', content: expect.stringMatching(told) },
        { role: 'tool', tool_call_id: 'good', content: 'echo hi' },
      ]);
    });

    test('that writes a call badly ends the run where the agent does not want it told', async () => {
      await expect(ask('bad-strict')).rejects.toMatchObject({ type: 'OutputParserError' });
    });

    test.each([
      ['unknown', /^search is not a valid tool, try one of \[echo, add, direct, backwards\]\.$/u],
      ['invalid', /^The input of add is not valid/u],
    ] as const)('that calls what cannot be called is told so (%s)', async (agent, told) => {
      const { output, steps } = await ask(agent);
      expect(output).toBe('done');
      expect(observations(steps)).toEqual([expect.stringMatching(told)]);
    });

    test('that says nothing has answered nothing', async () => {
      expect(await ask('empty')).toMatchObject({ output: '', steps: [], stopReason: 'final_answer' });
    });

    test('is not asked again after the only call of a turn was of a returnDirect tool', async () => {
      const { output, stopReason, bodies } = await ask('direct');
      expect({ output, stopReason }).toEqual({ output: { said: 'hi' }, stopReason: 'return_direct' });
      expect(bodies).toHaveLength(1);
    });

    test('is asked again when a returnDirect tool was one of two', async () => {
      const { output, steps } = await ask('direct-and-another');
      expect(output).toBe('done');
      expect(observations(steps)).toEqual([{ said: 'hi' }, 'echo hi']);
    });

    test('of a server without ids gets ids of our own', async () => {
      const { second } = await ask('no-ids');
      expect(second.map((message) => message['tool_call_id'])).toEqual([undefined, 'call_1_1', 'call_1_2']);
    });

    test('of a server that gives one id twice gets each result under an id of its own', async () => {
      const { second } = await ask('one-id');
      expect(second[0]).toMatchObject({ tool_calls: [{ id: 'good' }, { id: 'call_1_2' }] });
      expect(second.slice(1)).toEqual([
        { role: 'tool', tool_call_id: 'good', content: 'echo hi' },
        { role: 'tool', tool_call_id: 'call_1_2', content: 'echo ho' },
      ]);
    });

    test('whose reply was cut at the token limit is told so, and no tool runs', async () => {
      const { steps, second } = await ask('cut');
      expect(steps.map(({ action }) => action.tool)).toEqual(['_Exception']);
      expect(second.map(({ role }) => role)).toEqual(['assistant', 'user']);
    });

    test('of an agent that shows one step sees only the call that goes with it', async () => {
      const { second } = await ask('trimmed');
      expect(second).toEqual([
        assistant(null, ['last', 'echo', '{"__arg1":"hi"}']),
        { role: 'tool', tool_call_id: 'last', content: 'echo hi' },
      ]);
    });

    test('got what a later reader rebuilds from history', async () => {
      const run = await rig.client.start('text', 'what?');
      await run.result();
      const rebuilt: ModelRequest['prompt'][] = [];
      for await (const { request } of run.requests({ follow: false })) rebuilt.push(request.prompt);
      expect(rebuilt).toMatchObject([
        { tools: [{ name: 'echo' }, {}, {}, {}], messages: [{}, { role: 'user', content: 'what?' }] },
        {
          messages: [
            {},
            {},
            { content: 'Let me see.', toolCalls: [{ id: 'good', name: 'echo' }] },
            { role: 'tool', content: 'echo hi', toolCallId: 'good' },
          ],
        },
      ]);
    });

    test('that a limit stops leaves the fixed sentence', async () => {
      const { output, stopReason, bodies } = await ask('limit');
      expect(output).toBe('Agent stopped due to max iterations.');
      expect(stopReason).toBe('max_iterations');
      expect(bodies).toHaveLength(1);
    });
  },
);

function observations(steps: readonly AgentStep[]): Json[] {
  return steps.map(({ observation }) => observation);
}

type Message = { [field: string]: Json };

/** The messages of a request behind the system text and the question. */
function afterQuestion(body: { [field: string]: Json } | undefined): Message[] {
  const messages = body?.['messages'];
  return Array.isArray(messages) ? (messages.slice(2) as Message[]) : []; // as the adapter wrote them
}

function assistant(content: string | null, ...toolCalls: [id: string, name: string, args: string][]): object {
  return {
    role: 'assistant',
    content,
    tool_calls: toolCalls.map(([id, name, args]) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })),
  };
}
