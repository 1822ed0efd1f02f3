import { loadConfig } from '../../config/load.ts';
import { oneLine, table } from '../print/display.ts';
import { exitCodes } from '../exit-codes.ts';
import { type Io, print, printJson } from '../io.ts';
import type { CommonOptions } from '../options.ts';

/** `reloop agents`: those of the config. */
export async function agents(io: Io, { config, json = false }: CommonOptions): Promise<number> {
  const loaded = await loadConfig(config);
  const list = [...loaded.agents].map(([name, { description = '' }]) => {
    const manifest = loaded.manifest(name, {});
    return {
      name,
      kind: manifest?.kind ?? '',
      model: manifest?.model ?? '',
      tools: manifest?.tools.map((tool) => tool.name) ?? [],
      prompt: Object.keys(manifest?.prompt ?? {}),
      maxIterations: manifest?.maxIterations ?? null,
      description,
      problem: loaded.validate(name) ?? null,
    };
  });
  if (json) {
    printJson(io, list);
    return exitCodes.answered;
  }
  const rows = list.map(({ name, kind, model, tools, description, problem }) => [
    name,
    kind,
    model,
    tools.join(', '),
    oneLine(problem === null ? description : `! ${problem}`),
  ]);
  const head = ['AGENT', 'KIND', 'MODEL', 'TOOLS', 'DESCRIPTION'];
  for (const line of table([head, ...rows], io.stdout.columns ?? 120)) print(io, line);
  return exitCodes.answered;
}
