import { expect, test } from 'vitest';
import { z } from 'zod';
import { requestDigest } from '../../agent/transcript/request.ts';
import { fromVercelModel } from '../../adapters/models/vercel/from-vercel-model.ts';
import { scripted } from '../../adapters/models/scripted/scripted.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { trace } from '../support/printed-trace.ts';
import { useRig } from '../support/rig.ts';
import { finish, sdkModel } from '../support/sdk-model.ts';
import { allOf } from '../support/all-of.ts';

/** What a model thought before it called a tool: recorded, shown, and back with the provider; over a worker's death too. */

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  async run({ text }) {
    // What the next model call is shown is read from history.
    if (text === 'restart') setImmediate(() => void rig.restart());
    return text;
  },
});
const call = (text: string) => ({ toolCalls: [{ id: `c-${text}`, name: 'echo', arguments: { text } }] });

const thinker = scripted([
  { reasoning: 'First I ask the tool.', ...call('hi'), usage: null },
  { reasoning: 'Once more.', ...call('restart') },
  { reasoning: 'Now I know.', text: 'It says hi.' },
]);
const signature = { anthropic: { signature: 'sig' } };
const sdk = sdkModel('v3', [
  [
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'First I ask the tool.' },
    { type: 'reasoning-end', id: '0', providerMetadata: signature },
    { type: 'tool-call', toolCallId: 't1', toolName: 'echo', input: '{"text":"hi"}' },
    finish('tool-calls', 'v3'),
  ],
  [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'It says hi.' },
    finish('stop', 'v3'),
  ],
]);

const rig = useRig({
  agents: [
    {
      name: 'thinker',
      kind: 'tool-calling',
      model: thinker,
      tools: [echo],
      budget: { totalTokens: 100_000 },
    },
    { name: 'claude', kind: 'tool-calling', model: fromVercelModel(sdk), tools: [echo] },
  ],
});

test('reasoning goes back with its tool calls, is not a part of the run, and is one line of the trace', async () => {
  const run = await rig.client.start('thinker', 'What does it say?');
  const { output, intermediateSteps, usage } = await run.result();
  expect(output).toBe('It says hi.');
  expect(JSON.stringify(intermediateSteps)).not.toContain('First I ask');
  // One reply came without its tokens: the sums are of the others, and the budget reckons with a guess.
  expect(usage).toMatchObject({ modelCalls: 3, uncountedCalls: 1 });
  expect(usage.estimatedTokens).toBeGreaterThan(0);

  const events = await allOf(run.events());
  const turns = events.flatMap((event) => (event.type === 'model_ended' ? [event.turn] : []));
  expect(turns.map(({ reasoning }) => reasoning)).toEqual([
    'First I ask the tool.',
    'Once more.',
    'Now I know.',
  ]);
  expect(turns[0]?.warnings).toEqual([expect.stringContaining('the budget reckons with')]);
  const printed = trace(events);
  expect(printed).toContain('reasoning: 5 words');
  expect(printed).toContain('tokens unknown');
  expect(printed).toMatch(/3 model calls · at least \d+ \+ \d+ tokens/);

  const asked = await allOf(run.requests({ follow: false }));
  expect(asked.map(({ request }) => requestDigest(request))).toEqual(turns.map(({ request }) => request));
  const thoughts = thinker.requests.at(-1)?.body['messages'];
  expect(thoughts).toMatchObject([
    {},
    {},
    { role: 'assistant', reasoning_content: 'First I ask the tool.' },
    { role: 'tool' },
    { role: 'assistant', reasoning_content: 'Once more.' },
    { role: 'tool' },
  ]);
});

test('a model of the AI SDK runs an agent, and gets what its provider signed back', async () => {
  const run = await rig.client.start('claude', 'What does it say?');
  expect(await run.result()).toMatchObject({
    output: 'It says hi.',
    usage: { totalTokens: 30, cachedTokens: 8 },
  });
  expect(sdk.calls[1]?.prompt).toMatchObject([
    { role: 'system' },
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'First I ask the tool.', providerOptions: signature },
        { type: 'tool-call', toolCallId: 't1', toolName: 'echo', input: { text: 'hi' } },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', toolName: 'echo', output: { value: 'hi' } }] },
  ]);
});
