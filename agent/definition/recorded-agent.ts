import type { AgentManifest, ToolManifest } from './manifest.ts';

/** Calls outside the recording that are really made: none, or those of tools without effects. */
export type LiveTools = 'none-effects';

/**
 * An agent whose calls are answered from a recording: no person is asked, and calls of other workers or sub-agents are
 * calls like all others.
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
