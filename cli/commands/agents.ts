import { loadConfig } from '../../config/load.ts';
import { shownModel } from '../doctor/shown-model.ts';
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
      shown: shownModel(loaded, name),
      description,
      problem: loaded.validate(name) ?? null,
    };
  });
  if (json) {
    printJson(
      io,
      list.map(({ shown: _shown, ...agent }) => agent),
    );
    return exitCodes.answered;
  }
  const rows = list.map(({ name, kind, shown, tools, description, problem }) => [
    name,
    kind,
    shown,
    tools.join(', '),
    oneLine(problem === null ? description : `! ${problem}`),
  ]);
  const head = ['AGENT', 'KIND', 'MODEL', 'TOOLS', 'DESCRIPTION'];
  for (const line of table([head, ...rows], io.stdout.columns)) print(io, line);
  return exitCodes.answered;
}
