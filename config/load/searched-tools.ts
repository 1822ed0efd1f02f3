import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { createSearchTool, useTool } from '../../adapters/tools/tool-search/search-tools.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { type AgentDefinition, ConfigError } from '../define.ts';
import { toolManifest } from '../options/tool-options.ts';

const RESULTS = 5;

/** The tools of a search over tools; none if no agent has one. */
export function searchTools(agents: readonly AgentDefinition[]): Tool[] {
  return agents.some(isSearching) ? [createSearchTool(), useTool] : [];
}

/** Hides an agent's own tools behind a search. undefined: the agent does not search. Throws {@link ConfigError}. */
export function searchedTools(
  agent: AgentDefinition,
  own: readonly ToolManifest[],
  search: readonly Tool[],
): Pick<AgentManifest, 'tools' | 'toolSearch'> | undefined {
  if (!isSearching(agent)) return undefined;
  const { show = [], results = RESULTS } = typeof agent.toolSearch === 'object' ? agent.toolSearch : {};
  const unknown = show.filter((name) => own.every((tool) => tool.name !== name));
  if (unknown.length > 0) {
    throw new ConfigError(
      `Agent "${agent.name}": toolSearch.show: the agent has no tool ${unknown.join(', ')}. It has: ${own.map(({ name }) => name).join(', ') || 'none'}.`,
    );
  }
  const tools = own.map((tool) => (show.includes(tool.name) ? tool : { ...tool, hidden: true as const }));
  return { toolSearch: { results }, tools: [...tools, ...search.map(toolManifest)] };
}

function isSearching({ toolSearch }: AgentDefinition): boolean {
  return toolSearch !== undefined && toolSearch !== false;
}
