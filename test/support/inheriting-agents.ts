import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { brokenTool } from './sample-tools.ts';
import { act, answer, modelOf, toolCall } from './scripts.ts';

const broken = brokenTool();

/** Agents whose runs show what they inherit: `NAME-top` asks `NAME-below`, and `NAME-waits` has a call that fails. The models of the last two have limits. */
export function inheritingAgents(name: string) {
  const below = agentTool({ agent: `${name}-below`, description: 'asks another' });
  const limits = { rpm: 6_000 };
  return {
    agents: [
      {
        name: `${name}-top`,
        kind: 'tool-calling' as const,
        model: modelOf((step) => (step === '1' ? { toolCalls: [toolCall(below.name)] } : 'done')),
        tools: [below],
      },
      { name: `${name}-below`, model: modelOf(() => answer('done')) },
      {
        name: `${name}-waits`,
        model: modelOf((step) => (step === '1' ? act('broken', 'x') : answer('done'))),
        tools: [broken],
      },
    ],
    limits: { [`${name}-below`]: limits, [`${name}-waits`]: limits },
  };
}
