import type { AgentManifest, ToolManifest } from '../manifest.ts';

/** Which calls that a recording does not have are really made: none, or those of tools without effects. */
export type LiveTools = 'none-effects';

/**
 * An agent whose calls are answered from a recording: nobody is asked anything, and what would have been another worker's
 * or another agent's call is one like all the others.
 */
export function recordedAgent(manifest: AgentManifest, live: LiveTools | undefined): AgentManifest {
  return {
    ...manifest,
    onModelFailure: 'fail',
    onLimit: 'stop',
    tools: manifest.tools.map((tool) => recordedTool(tool, live)),
  };
}

/** The tool may be run for a call that the recording does not have. */
export function mayRunLive(tool: ToolManifest, live: LiveTools | undefined): boolean {
  const ours = tool.external !== true && tool.agent === undefined && tool.human !== true;
  return live === 'none-effects' && ours && tool.effects === 'none' && tool.approval === undefined;
}

function recordedTool(tool: ToolManifest, live: LiveTools | undefined): ToolManifest {
  if (mayRunLive(tool, live))
    return { ...tool, onFailure: tool.onFailure === 'observe' ? 'observe' : 'fail' };
  return {
    ...tool,
    external: undefined,
    agent: undefined,
    taskQueue: undefined,
    heartbeatTimeoutMs: undefined,
    human: undefined,
    approval: undefined,
    askTimeout: undefined,
    reconciles: undefined,
    effects: 'idempotent',
    onFailure: 'fail',
  };
}
