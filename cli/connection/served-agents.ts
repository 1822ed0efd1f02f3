import { AgentClient } from '../../client/api/agent-client.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import type { ServedAgent } from '../../gateway/index.ts';
import type { CommonOptions } from '../options/options.ts';
import type { Io } from '../shell/io.ts';
import type { CliContext } from './context.ts';
import { type CommandConfig, namedQueue, queuesOf } from './task-queue.ts';

/** Agents of a config, for other programs. */
export function servedAgents({ agents }: LoadedConfig): ServedAgent[] {
  return [...agents.values()].map(({ name, description, kind, output, clientTools, tools }) => ({
    name,
    description,
    kind: typeof kind === 'object' ? kind.name : kind,
    output,
    clientTools,
    tools: tools?.map((tool) => tool.name),
  }));
}

/** The client of a command that starts runs for others: on the task queue of the config. */
export async function servingClient(
  io: Io,
  context: CliContext,
  config: CommandConfig,
  options: CommonOptions,
): Promise<AgentClient> {
  const { temporal, address } = context.client;
  const { runs } = await queuesOf(context, config, namedQueue(io, options));
  return new AgentClient(temporal, address, runs);
}
