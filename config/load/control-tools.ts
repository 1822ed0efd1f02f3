import { backgroundTool } from '../../adapters/tools/background/background-tool.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import type { AgentDefinition } from '../define.ts';
import { toolManifest } from '../options/tool-options.ts';

/** The tool that controls background calls; none if no agent has such calls. */
export function controlTools(agents: readonly AgentDefinition[]): Tool[] {
  const isNeeded = agents.some(({ tools = [] }) => tools.some(({ background }) => background === true));
  return isNeeded ? [backgroundTool] : [];
}

/** The tool as an agent records it, if one of the agent's own tools has `background`. */
export function controlsOf(own: readonly ToolManifest[]): ToolManifest[] {
  const isNeeded = own.some(({ background }) => background === true);
  return isNeeded ? [{ ...toolManifest(backgroundTool), controls: true }] : [];
}
