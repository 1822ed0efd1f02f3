import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** Native tool calls over many turns: two calls in each, one of them with a long result. */
const TURNS = 40;
const short = defineTool({ name: 'short', description: 's', run: (input) => `short ${input}` });
const long = defineTool({ name: 'long', description: 'l', run: (input) => `${input} `.padEnd(900, 'x') });
let letGo: () => void = () => undefined;
let opened: Promise<void> = Promise.resolve();
const gate = defineTool({ name: 'gate', description: 'g', run: () => opened.then(() => 'through') });

const requests = new Map<string, ModelRequest>();
function calling(name: string, turns: number, tools: (step: string) => string[]) {
  return modelOf((step, request) => {
    requests.set(`${name} ${step}`, request);
    if (Number(step) > turns) return 'done';
    return { toolCalls: tools(step).map((tool) => toolCall(tool, step, `${tool}-${step}`)) };
  });
}

const both = () => ['short', 'long'];
const kind = 'tool-calling';
const tools = [short, long, gate];
const rig = useRig({
  agents: [
    { name: 'whole', kind, model: calling('whole', TURNS, both), tools, maxIterations: null },
    {
      name: 'trimmed',
      kind,
      model: calling('trimmed', TURNS, both),
      tools,
      maxIterations: null,
      trimIntermediateSteps: 3,
    },
    {
      name: 'restarted',
      kind,
      model: calling('restarted', 3, (step) => (step === '2' ? ['gate'] : both())),
      tools,
    },
  ],
});

function messagesOf(key: string): ChatMessage[] {
  const prompt = requests.get(key)?.prompt;
  return prompt?.type === 'messages' ? prompt.messages.slice(2) : [];
}

/** What a turn leaves in the prompt. */
function turn(step: number): ChatMessage[] {
  const call = (name: string) => ({ id: `${name}-${step}`, name, arguments: `{"__arg1":"${step}"}` });
  return [
    { role: 'assistant', content: null, toolCalls: [call('short'), call('long')] },
    { role: 'tool', content: `short ${step}`, toolCallId: `short-${step}` },
    { role: 'tool', content: `${step} `.padEnd(900, 'x'), toolCallId: `long-${step}` },
  ];
}

describe('native tool calls', () => {
  test('go on over continue-as-new with every call answered', async () => {
    const run = await rig.client.start('whole', 'what?');
    expect(await run.result()).toMatchObject({ output: 'done', iterations: TURNS + 1 });
    const continued: string[] = [];
    const digests: string[] = [];
    for await (const event of run.events({ live: false })) {
      if (event.type === 'continued') continued.push(event.runId);
      if (event.type === 'model_ended') digests.push(event.turn.request);
    }
    expect(continued.length).toBeGreaterThan(0);
    const turns = Array.from({ length: TURNS }, (_, index) => turn(index + 1));
    expect(messagesOf(`whole ${TURNS + 1}`)).toEqual(turns.flat());
    const rebuilt = await allOf(run.requests({ follow: false }));
    expect(rebuilt.at(-1)?.request).toEqual(requests.get(`whole ${TURNS + 1}`));
    expect(rebuilt).toHaveLength(digests.length);
  });

  test('are shown trimmed with their replies, and only those that are answered', async () => {
    const run = await rig.client.start('trimmed', 'what?');
    await run.result();
    const [reply, , last] = turn(TURNS - 1);
    if (reply === undefined || last === undefined) throw new Error('unreachable: a turn has three messages');
    const shown = { ...reply, toolCalls: reply.toolCalls?.slice(1) };
    expect(messagesOf(`trimmed ${TURNS + 1}`)).toEqual([shown, last, ...turn(TURNS)]);
  });

  test('are rebuilt from history by a worker that has never seen the run', async () => {
    opened = new Promise((resolve) => (letGo = resolve));
    const run = await rig.client.start('restarted', 'what?');
    await eventOf(run, 'tool_started', ({ tool }) => tool === 'gate');
    const stopped = rig.restart();
    letGo();
    await stopped;
    expect(await run.result()).toMatchObject({ output: 'done' });
    expect(messagesOf('restarted 3').slice(0, 3)).toEqual(turn(1));
    expect(messagesOf('restarted 3').at(-1)).toMatchObject({ role: 'tool', content: 'through' });
  });
});
