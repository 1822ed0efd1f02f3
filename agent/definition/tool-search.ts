import type { AgentManifest } from './manifest.ts';

/** The tool by which a model finds others. */
export const SEARCH_TOOLS = 'search_tools';

/** The tool by which a model calls one that it has found: the call is carried out as one of that tool. */
export const USE_TOOL = 'use_tool';

/** The agent as its prompt shows it: always with the same tools, so that a provider's cache of the prompt holds. */
export function withShownTools(manifest: AgentManifest): AgentManifest {
  if (manifest.toolSearch === undefined) return manifest;
  return { ...manifest, tools: manifest.tools.filter(({ hidden }) => hidden !== true) };
}
