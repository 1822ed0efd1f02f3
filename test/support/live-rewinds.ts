import { setTimeout as sleep } from 'node:timers/promises';
import { type Model, defineModel } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { guarded, job, pays } from './operated-paths.ts';

/** Models and tools for runs that rewind themselves. */

/** Calls, by the step of a run's first pass and of the pass after its rewind. */
export interface Script {
  [step: string]: [tool: string, input: string][];
}

const asked = new Map<string, string[]>();
/** The model of every agent is down. */
export const outage = { isOn: false };

export function modelOfCalls(first: Script, second: Script = {}): Model {
  return defineModel({
    call: async (_request, { step, runId, signal }) => {
      const before = asked.get(runId) ?? [];
      asked.set(runId, [...before, step]);
      const isAgain = before.includes(step);
      const calls = (isAgain ? second : first)[step] ?? [];
      if (calls.some(([tool]) => tool === 'hangs')) await sleep(60_000, undefined, { signal });
      if (outage.isOn) throw Object.assign(new Error('the model is down'), { retryable: true });
      return {
        text: calls.length === 0 ? `the answer at ${step}` : '',
        toolCalls: calls.map(([name, input], index) => ({
          id: `${step}-${index}`,
          name,
          arguments: JSON.stringify({ input }),
        })),
        finishReason: 'stop',
        usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
      };
    },
  });
}

const echo = defineTool({
  name: 'echo',
  description: 'echoes',
  effects: 'none',
  run: (input) => `echo ${input} ${'x'.repeat(600)}`,
});
const inline = defineTool({
  name: 'inline',
  description: 'echoes with the model call',
  effects: 'none',
  inline: true,
  run: (input) => `inline ${input}`,
});
const slow = defineTool({
  name: 'slow',
  description: 'ends when it is cancelled',
  effects: 'none',
  run: (_input, { signal }) => sleep(60_000, 'never', { signal }),
});
const stubborn = defineTool({
  name: 'stubborn',
  description: 'has its result though it is cancelled',
  effects: 'none',
  run: (_input, { signal }) => sleep(60_000, undefined, { signal }).then(String, () => 'all the same'),
});
const late = defineTool({
  name: 'late',
  description: 'takes long to be cancelled',
  effects: 'none',
  run: (_input, { signal }) => sleep(60_000, undefined, { signal }).catch(() => sleep(1_500, 'too late')),
});
const helper = agentTool({ name: 'helper', agent: 'helper', description: 'helps' });
const slowHelper = agentTool({ name: 'slowHelper', agent: 'slow helper', description: 'takes long to end' });
export const rewindTools = [echo, inline, slow, late, stubborn, guarded, job, pays, helper, slowHelper];
