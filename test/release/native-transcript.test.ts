import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** Native tool calls over many turns: two calls in each, one of them with a long result. */
const TURNS = 40;
const short = defineTool({ name: 'short', description: 's', run: (input) => `short ${input}` });
const long = defineTool({ name: 'long', description: 'l', run: (input) => `${input} `.padEnd(900, 'x') });

const requests = new Map<string, ModelRequest>();
function calling(name: string) {
  return modelOf((step, request) => {
    requests.set(`${name} ${step}`, request);
    if (Number(step) > TURNS) return 'done';
    return { toolCalls: ['short', 'long'].map((tool) => toolCall(tool, step, `${tool}-${step}`)) };
  });
}

const kind = 'tool-calling';
const tools = [short, long];
const rig = useRig({
  agents: [
    { name: 'whole', kind, model: calling('whole'), tools, maxIterations: null },
    {
      name: 'trimmed',
      kind,
      model: calling('trimmed'),
      tools,
      maxIterations: null,
      trimIntermediateSteps: 3,
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
});
