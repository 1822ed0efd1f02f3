import type { AgentManifest, ToolManifest } from './manifest.ts';

/** Calls that run although the recording lacks them. Default: none. Otherwise calls of tools without effects. */
export type LiveTools = 'none-effects';

/**
 * The agent of a backtest, whose calls a recording answers. No person is asked. Calls of external tools and of sub-agents
 * are plain calls.
 */
export function recordedAgent(manifest: AgentManifest, live: LiveTools | undefined): AgentManifest {
  return {
    ...manifest,
    onModelFailure: 'fail',
    onLimit: 'stop',
    tools: manifest.tools.map((tool) => recordedTool(tool, live)),
  };
}

/** Returns true if the tool may run for a call that the recording lacks. */
export function mayRunLive(tool: ToolManifest, live: LiveTools | undefined): boolean {
  const isAway = tool.external === true || tool.human === true || tool.client === true;
  const ours = !isAway && tool.agent === undefined;
  return live === 'none-effects' && ours && tool.effects === 'none' && tool.approval === undefined;
}

function recordedTool(tool: ToolManifest, live: LiveTools | undefined): ToolManifest {
  if (tool.controls === true) return tool; // without effects on anything but the run
  if (mayRunLive(tool, live))
    return { ...tool, onFailure: tool.onFailure === 'observe' ? 'observe' : 'fail' };
  return {
    ...tool,
    external: undefined,
    agent: undefined,
    taskQueue: undefined,
    heartbeatTimeoutMs: undefined,
    human: undefined,
    client: undefined,
    approval: undefined,
    askTimeout: undefined,
    reconciles: undefined,
    effects: 'idempotent',
    onFailure: 'fail',
  };
}
