import { describe, expect, test } from 'vitest';
import { defineModel } from '../../adapters/models/model.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { promptOf, toolCall } from '../support/scripts.ts';

const HALF = 'Pay 500 euros to';

/** Answers half; the model `boss` calls a tool first, and then answers with its prompt. */
const model = (first?: ReturnType<typeof toolCall>) =>
  defineModel({
    call: async (request, { step }) => {
      const isCall = first !== undefined && step === '1';
      const isOwn = first !== undefined && step === '2';
      return {
        text: isCall ? '' : isOwn ? promptOf(request) : HALF,
        toolCalls: isCall ? [first] : [],
        finishReason: isOwn ? 'stop' : 'max_tokens',
      };
    },
  });

const native = { kind: 'tool-calling' as const };
const ask = defineTool({
  name: 'ask',
  description: 'asks the model',
  run: (_input, context) => context.complete('Whom do I pay?'),
});
const rig = useRig({
  agents: [
    { ...native, name: 'clerk', model: model() },
    {
      ...native,
      name: 'boss',
      model: whole(toolCall('clerk')),
      tools: [agentTool({ agent: 'clerk', description: 'x' })],
    },
    { ...native, name: 'asker', model: whole(toolCall('ask')), tools: [ask] },
  ],
});

/** As `model`, with a first call that is whole. */
function whole(first: ReturnType<typeof toolCall>) {
  const { call } = model(first);
  return defineModel({
    async call(request, context) {
      const reply = await call(request, context);
      return reply.toolCalls.length === 0 ? reply : { ...reply, finishReason: 'stop' };
    },
  });
}

describe('an answer that was cut at the token limit', () => {
  test('says so in the result, the report and the events', async () => {
    const run = await rig.client.start('clerk', 'Whom?');
    expect(await run.result()).toMatchObject({
      output: HALF,
      stopReason: 'final_answer',
      truncated: 'length',
    });
    expect(await run.describe()).toMatchObject({ status: 'completed', truncated: 'length' });
    const events = [];
    for await (const event of run.events()) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run_ended', truncated: 'length' });
  });

  test('is marked for the agent that asked, and for a tool that asked the model', async () => {
    for (const agent of ['boss', 'asker']) {
      const { output } = await rig.client.run(agent, 'Whom?');
      expect(output).toContain(`${HALF}\\n[cut: the answer reached the token limit`);
    }
  });

  test('is marked in its session', async () => {
    await rig.client.run('clerk', 'Whom?', { session: 'half' });
    const { messages } = await rig.client.session('half').describe();
    expect(messages.at(-1)?.content).toContain(`${HALF}\n[cut: the answer reached the token limit`);
  });
});
