import { type Tool, defineTool } from '../../adapters/tools/tool.ts';
import type { Random } from './random.ts';
import { DEADLY, input } from './world-tools.ts';

/** Asks for approval of every input, or tells the model of failures. */
export function changed(tool: Tool, isCautious: boolean, observes: boolean): Tool {
  const asks = isCautious && tool.inline !== true && !DEADLY.includes(tool.name);
  return {
    ...tool,
    ...(asks ? { approval: 'always' } : {}),
    ...(observes && tool.onFailure === undefined ? { onFailure: 'observe' } : {}),
  };
}

/** The tools of a new version: some are gone, some run elsewhere, one is new. */
export function deployed(tools: readonly Tool[], random: Random): Tool[] {
  const fresh = defineTool({ name: 'fresh', description: 'fresh', input, run: ({ n }) => `fresh ${n}` });
  const kept = tools.filter(() => random.chance(0.85));
  return [...kept.map((tool) => (random.chance(0.3) ? moved(tool) : tool)), fresh];
}

/** A tool without effects changes its place: inline or an activity of its own. */
function moved(tool: Tool): Tool {
  if (tool.background === true) return tool;
  if (tool.name === 'read') return { ...tool, inline: true, effects: 'none' };
  return tool.name === 'peek' || tool.name === 'shaky' ? { ...tool, inline: false } : tool;
}
