import { duration, oneLine } from '../../features/render/words/amounts.ts';
import { fit, table } from '../shell/display.ts';
import { type Io, exitCodes, print, printJson } from '../shell/io.ts';
import type { CommonOptions } from '../options/options.ts';

/** Cells of a description, also in a pipe: MCP servers write pages. `--json` has the whole. */
const DESCRIPTION_CELLS = 120;

/** `reloop tools`: lists the config's tools with their rules. */
export async function tools(io: Io, { config, json = false }: CommonOptions): Promise<number> {
  // Loaded late, since the command is in the bundle and the config's modules are not.
  const { loadCommandConfig } = await import('../connection/command-config.ts');
  const { toolManifest } = await import('../../config/options/tool-options.ts');
  const { loaded } = await loadCommandConfig(config);
  const manifests = [...loaded.agents.keys()].map((agent) => ({
    agent,
    manifest: loaded.manifest(agent, {}),
  }));
  const list = [...loaded.tools.values()].map((tool) => {
    const { name, description, effects, approval = 'never', timeoutMs, retry, ...rest } = toolManifest(tool);
    const { onFailure, returnDirect, inputSchema } = rest;
    const { maxAttempts } = retry;
    const agents = manifests
      .filter(({ manifest }) => manifest?.tools.some((one) => one.name === name))
      .map(({ agent }) => agent);
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
      oneLine(name),
      effects,
      approval,
      duration(timeoutMs),
      String(maxAttempts),
      onFailure,
      oneLine(agents.join(', ')),
      fit(oneLine(description), DESCRIPTION_CELLS),
    ],
  );
  const head = ['TOOL', 'EFFECTS', 'APPROVAL', 'TIMEOUT', 'ATTEMPTS', 'ON FAILURE', 'AGENTS', 'DESCRIPTION'];
  for (const line of table([head, ...rows], io.stdout.columns)) print(io, line);
  return exitCodes.answered;
}
