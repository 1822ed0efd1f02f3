import { type Tool, type ToolOptions, defineTool } from './tool.ts';
import type { ZodObject } from './zod-schema.ts';

export interface ExternalToolOptions extends ToolOptions {
  /** Checked and coerced before the activity is scheduled. Without it, the input is one plain string. */
  input?: ZodObject | undefined;
  /** The queue its worker polls. Default: the agents' own. */
  taskQueue?: string | undefined;
  /** Longest silence of an activity that heartbeats, before another worker gets it. */
  heartbeatTimeout?: number | string | undefined;
}

/**
 * A tool that another worker runs, in any language: an ordinary Temporal activity of the tool's name with the input as
 * its one argument; what it returns is the observation. A failure of the type `ToolError` goes to the model, any other
 * is retried; with `effects: 'once'` it leaves the call in doubt. Its idempotency key is made of workflow id, activity
 * id (without `~n`) and input: docs/external-tools.md.
 */
export function externalTool({ input, taskQueue, heartbeatTimeout, ...options }: ExternalToolOptions): Tool {
  const run = () => {
    throw new Error(`${options.name} is run by another worker, not here.`);
  };
  const tool = input === undefined ? defineTool({ ...options, run }) : defineTool({ ...options, input, run });
  return { ...tool, remote: { type: 'activity', taskQueue, heartbeatTimeout } };
}
