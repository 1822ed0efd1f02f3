import { madeBy } from './same-tool.ts';
import { type Approval, type Tool, type ToolOptions, defineTool } from './tool.ts';

export interface AgentToolOptions {
  /** The agent that does the work, by the name it has in the config. */
  agent: string;
  /** Name of the tool for the calling agent. Default: the agent's name. */
  name?: string | undefined;
  description: string;
  /** Reaction to a sub-agent that fails: as for any tool. */
  onFailure?: ToolOptions['onFailure'];
  returnDirect?: boolean | undefined;
  /** The caller does not wait for the sub-agent: see `background` of a tool. */
  background?: boolean | undefined;
  approval?: Approval<string> | undefined;
  askTimeout?: ToolOptions['askTimeout'];
}

/** Another agent as a tool: each call is a separate run, a child workflow whose id is the parent's and the call's. */
export function agentTool({ agent, name = agent, ...options }: AgentToolOptions): Tool {
  const tool = defineTool({
    ...options,
    name,
    run() {
      throw new Error(`${name} is run as an agent, not here.`);
    },
  });
  return madeBy(agentTool, { agent, name, ...options }, { ...tool, remote: { type: 'agent', agent } });
}
