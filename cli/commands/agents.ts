import { shownModel } from '../doctor/shown-model.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { table } from '../shell/display.ts';
import { type Io, exitCodes, print, printJson } from '../shell/io.ts';
import type { CommonOptions } from '../options/options.ts';

/** `reloop agents`: lists the config's agents. */
export async function agents(io: Io, { config, json = false }: CommonOptions): Promise<number> {
  // Loaded late, since the command is in the bundle and the config's modules are not.
  const { loadCommandConfig } = await import('../connection/command-config.ts');
  const { loaded } = await loadCommandConfig(config);
  const list = [...loaded.agents].map(([name, { description = '' }]) => {
    const manifest = loaded.manifest(name, {});
    return {
      name,
      kind: manifest?.kind ?? '',
      model: manifest?.model ?? '',
      tools: manifest?.tools.map((tool) => tool.name) ?? [],
      skills: manifest?.skills?.map((skill) => skill.name) ?? [],
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
  const rows = list.map(({ name, kind, shown, tools, skills, description, problem }) => [
    oneLine(name),
    oneLine(kind),
    oneLine(shown),
    oneLine([...tools, ...skills.map((skill) => `skill ${skill}`)].join(', ')),
    oneLine(problem === null ? description : `! ${problem}`),
  ]);
  const head = ['AGENT', 'KIND', 'MODEL', 'TOOLS', 'DESCRIPTION'];
  for (const line of table([head, ...rows], io.stdout.columns)) print(io, line);
  return exitCodes.answered;
}
