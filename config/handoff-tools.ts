import { z } from 'zod/v4';
import type { AgentKind } from '../agent/definition/kind.ts';
import type { ToolManifest } from '../agent/definition/manifest.ts';
import { defineTool } from '../adapters/tools/tool.ts';
import { type AgentDefinition, ConfigError } from './define.ts';
import { completeAgent, handoffsOf } from './options/agent-options.ts';
import { toolManifest } from './options/tool-options.ts';

/** The tools by which an agent hands the conversation over. Throws ConfigError for an agent that cannot take the conversation. */
export function handoffTools(
  agent: AgentDefinition,
  agents: ReadonlyMap<string, AgentDefinition>,
  kindOf: (agent: AgentDefinition) => AgentKind,
): ToolManifest[] {
  const names = new Set((agent.tools ?? []).map(({ name }) => name));
  return handoffsOf(agent).map((handoff) => {
    const where = `Agent "${agent.name}": handoffs`;
    const target = agents.get(handoff);
    if (target === undefined || target === agent) {
      const others = [...agents.keys()].filter((name) => name !== agent.name).join(', ') || 'none';
      throw new ConfigError(`${where}: "${handoff}" is not another agent of the config. Others: ${others}.`);
    }
    if (kindOf(agent).chatHistory && !kindOf(target).chatHistory) {
      throw new ConfigError(
        `${where}: the kind ${kindOf(target).name} of "${handoff}" has no place for earlier messages, which "${agent.name}" may have. Give it another kind.`,
      );
    }
    if ((agent.trimIntermediateSteps ?? -1) !== (target.trimIntermediateSteps ?? -1)) {
      throw new ConfigError(
        `${where}: "${handoff}" has another trimIntermediateSteps than "${agent.name}". Both see the same steps: give them the same number.`,
      );
    }
    const tool = handoffTool(target);
    if (names.has(tool.name))
      throw new ConfigError(
        `${where}: there are two tools of the name ${tool.name}. Rename an agent or a tool.`,
      );
    names.add(tool.name);
    return { ...toolManifest(tool), handoff };
  });
}

/** OpenAI's Agents SDK gives the tool of a handoff the same form of name and description. */
function handoffTool(target: AgentDefinition) {
  const { name, description = '' } = completeAgent(target);
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9_-]+/gu, '_');
  return defineTool({
    name: `transfer_to_${slug}`.slice(0, 64),
    description: `Hands the conversation over to the agent ${name}, who continues it. ${description}`.trim(),
    input: z.object({}),
    effects: 'none',
    run: () => '', // never called: the loop hands over
  });
}
