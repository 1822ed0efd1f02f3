import { setTimeout as sleep } from 'node:timers/promises';
import { type Model, defineModel } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { createGate } from './gate.ts';
import { guarded, job } from './operated-paths.ts';
import { gatedTool } from './sample-tools.ts';

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

/** Inputs of the payments that were made. */
export const effects: string[] = [];
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
const pays = defineTool({
  name: 'pays',
  description: 'pays',
  effects: 'once',
  async run(input, ctx) {
    await ctx.commit();
    effects.push(input);
    if (input === 'lost') throw new Error('connection lost');
    return `paid ${input}`;
  },
});
const helper = agentTool({ name: 'helper', agent: 'helper', description: 'helps' });
/** Holds up the end of a rewind: the tool does not mind that it is cancelled. */
export const gate = createGate();
export const rewindTools = [
  echo,
  inline,
  slow,
  stubborn,
  guarded,
  job,
  pays,
  helper,
  gatedTool(gate, 'gated'),
];
