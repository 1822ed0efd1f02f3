import { toolManifest } from '../../config/tool-options.ts';
import { loadConfig } from '../../config/load.ts';
import { duration, oneLine, table } from '../print/display.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Io, print, printJson } from '../io.ts';
import type { CommonOptions } from '../options.ts';

/** `reloop tools`: those of the config, and how each is treated. */
export async function tools(io: Io, { config, json = false }: CommonOptions): Promise<number> {
  const loaded = await loadConfig(config);
  const list = [...loaded.tools.values()].map((tool) => {
    const { name, description, effects, approval = 'never', timeoutMs, retry, ...rest } = toolManifest(tool);
    const { onFailure, returnDirect, inputSchema } = rest;
    const { maxAttempts } = retry;
    const agents = [...loaded.agents.values()].flatMap((agent) =>
      agent.tools?.includes(tool) ? [agent.name] : [],
    );
    return {
      name,
      description,
      effects,
      approval,
      timeoutMs,
      maxAttempts,
      onFailure,
      returnDirect,
      inputSchema,
      agents,
    };
  });
  if (json) {
    printJson(io, list);
    return exitCodes.answered;
  }
  const rows = list.map(
    ({ name, effects, approval, timeoutMs, maxAttempts, onFailure, agents, description }) => [
      name,
      effects,
      approval,
      duration(timeoutMs),
      String(maxAttempts),
      onFailure,
      agents.join(', '),
      oneLine(description),
    ],
  );
  const head = ['TOOL', 'EFFECTS', 'APPROVAL', 'TIMEOUT', 'ATTEMPTS', 'ON FAILURE', 'AGENTS', 'DESCRIPTION'];
  for (const line of table([head, ...rows], io.stdout.columns)) print(io, line);
  return exitCodes.answered;
}
