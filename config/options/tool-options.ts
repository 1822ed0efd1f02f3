import { z } from 'zod/v4';
import type { ToolManifest, ToolRules } from '../../agent/definition/manifest.ts';
import type { RemoteTool, Tool, ToolOptions } from '../../adapters/tools/tool.ts';
import { ConfigError } from '../define.ts';
import { approvalOption, recordedApproval } from './approval-option.ts';
import { duration, timeout } from './duration.ts';
import { askTimeoutOption, recordedAskTimeout } from './ask-timeout-option.ts';
import { type Checks, options, retryOptions, retryPolicy } from './options.ts';

/** Recorded as they are given. */
const rulesShape = {
  effects: z.enum(['none', 'idempotent', 'once']).default('idempotent'),
  onFailure: z.enum(['ask', 'observe', 'fail']).default('ask'),
  returnDirect: z.boolean().default(false),
  maxOutputChars: z.int().positive().default(100_000),
} satisfies Checks<ToolRules>;

/** Every option of a tool: its check and its default. */
const toolShape = {
  name: z.string(),
  description: z.string().min(1, 'is empty, but the model chooses by it'),
  timeout: duration.default('5m'),
  retry: retryOptions({
    maxAttempts: 3,
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '30s',
  }),
  approval: approvalOption.default('never'),
  inline: z.boolean().default(false),
  background: z.boolean().default(false),
  askTimeout: askTimeoutOption.optional(),
  ...rulesShape,
} satisfies Record<keyof ToolOptions, z.ZodType>;

/** Fields that defineTool makes of `input` and `run`. */
const madeShape = {
  inputSchema: z.unknown(),
  parseInput: z.unknown(),
  run: z.unknown(),
  reconcile: z.unknown(),
  cancel: z.unknown(),
  remote: z.unknown(),
};

/** Options of a tool, and no others. */
export const toolSchema = options({ ...toolShape, ...madeShape }, [
  ...Object.keys(toolShape),
  'input',
  'run',
  'reconcile',
])
  .partial()
  .required({ name: true, description: true, run: true });

const complete = z.object(toolShape);
const rules = z.object(rulesShape);

/** A tool as it is recorded and as `reloop tools` shows it. Throws {@link ConfigError}. */
export function toolManifest(tool: Tool): ToolManifest {
  const { name, description, timeout: limit, retry, approval, askTimeout, ...given } = complete.parse(tool);
  const where = `Tool "${name}"`;
  return {
    name,
    description,
    inputSchema: tool.inputSchema,
    timeoutMs: timeout(limit, `${where}: timeout`),
    retry: retryPolicy(retry, `${where}: retry`),
    ...rules.parse(tool),
    ...(given.inline ? inlineTool(where, tool) : {}),
    ...(given.background ? backgroundTool(where, tool) : {}),
    ...recordedApproval(approval),
    ...(askTimeout === undefined
      ? {}
      : { askTimeout: recordedAskTimeout(askTimeout, `${where}: askTimeout`) }),
    ...reconciliation(where, tool),
    ...remoteTool(where, tool.remote),
  };
}

function inlineTool(where: string, { effects, remote }: Tool): Partial<ToolManifest> {
  if (remote !== undefined)
    throw new ConfigError(`${where}: inline is for a tool that this worker runs itself. Leave it out.`);
  if (effects === 'none') return { inline: true };
  throw new ConfigError(
    `${where}: inline is for a tool without effects, because a call that was not recorded may be made again, or never. Give it effects: 'none', or leave inline out.`,
  );
}

function backgroundTool(where: string, { inline, returnDirect }: Tool): Partial<ToolManifest> {
  if (inline === true)
    throw new ConfigError(
      `${where}: an inline call is over before the model could continue. Leave out inline or background.`,
    );
  if (returnDirect === true)
    throw new ConfigError(
      `${where}: with returnDirect the result ends the run, and with background the run continues without it. Leave out one of them.`,
    );
  return { background: true };
}

function reconciliation(where: string, { effects, reconcile, remote }: Tool): Partial<ToolManifest> {
  if (reconcile === undefined) return {};
  if (typeof reconcile !== 'function') throw new ConfigError(`${where}: reconcile is not a function.`);
  if (effects === 'once' && remote === undefined) return { reconciles: true };
  throw new ConfigError(
    `${where}: reconcile says what became of a call that may take effect once only, and is never asked of this one. Leave it out, or give the tool effects: 'once'.`,
  );
}

function remoteTool(where: string, remote: RemoteTool | undefined): Partial<ToolManifest> {
  switch (remote?.type) {
    case undefined:
      return {};
    case 'agent':
      return { agent: remote.agent };
    case 'human':
      return { human: true };
    case 'activity': {
      const { taskQueue, heartbeatTimeout: silence } = remote;
      const heartbeatTimeoutMs =
        silence === undefined ? undefined : timeout(silence, `${where}: heartbeatTimeout`);
      return { external: true, taskQueue, heartbeatTimeoutMs };
    }
  }
}
