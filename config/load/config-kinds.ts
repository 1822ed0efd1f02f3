import type { AgentKind } from '../../agent/definition/kind.ts';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import { type AgentDefinition, ConfigError } from '../define.ts';
import { kindOfLangChain } from '../langchain-names.ts';
import { completeAgent } from '../options/agent-options.ts';

/** The built-in kinds, and those that agents bring themselves. */
export function allKinds(agents: readonly AgentDefinition[]): Map<string, AgentKind> {
  const kinds = new Map(builtInKinds.map((kind) => [kind.name, kind]));
  for (const { kind, name } of agents) {
    if (typeof kind !== 'object') continue;
    const other = kinds.get(kind.name);
    if (other !== undefined && other !== kind) {
      throw new ConfigError(
        `Agent "${name}": there is another kind called "${kind.name}" already. Rename yours.`,
      );
    }
    kinds.set(kind.name, kind);
  }
  return kinds;
}

/** The kind of an agent. Throws {@link ConfigError}. */
export function kindOf(kinds: ReadonlyMap<string, AgentKind>, agent: AgentDefinition): AgentKind {
  const { kind, name } = completeAgent(agent);
  const wanted = typeof kind === 'string' ? kind : kind.name;
  const found = kinds.get(wanted);
  if (found !== undefined) return found;
  const ours = kindOfLangChain(wanted);
  const hint = ours === undefined ? '' : ` In Reloop that is kind: '${ours}'.`;
  throw new ConfigError(
    `Agent "${name}": unknown kind "${wanted}".${hint} Known: ${[...kinds.keys()].join(', ')}.`,
  );
}
