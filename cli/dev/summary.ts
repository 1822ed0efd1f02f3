import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import type { ConfigSummary } from './child-messages.ts';

export function summaryOf({ agents, tools, manifest }: LoadedConfig): ConfigSummary {
  return {
    agents: Object.fromEntries([...agents.keys()].map((name) => [name, JSON.stringify(manifest(name, {}))])),
    tools: Object.fromEntries(
      // Compare a tool's code as text, too: changes in functions that it calls are not seen.
      [...tools].map(([name, tool]) => [name, `${JSON.stringify(tool)} ${String(tool.run)}`]),
    ),
  };
}

/** `agents a, b; + tool x, - tool y, agent z changed`. */
export function changesBetween(before: ConfigSummary, after: ConfigSummary): string {
  const names = `agents ${Object.keys(after.agents).join(', ')}`;
  const tools = differences('tool', before.tools, after.tools);
  const agents = differences('agent', before.agents, after.agents);
  const all = [...tools, ...agents];
  return all.length === 0 ? names : `${names}; ${all.join(', ')}`;
}

type Texts = ConfigSummary['agents'];

function differences(what: string, before: Texts, after: Texts): string[] {
  const added = Object.keys(after).filter((name) => !(name in before));
  const gone = Object.keys(before).filter((name) => !(name in after));
  const changed = Object.keys(after).filter((name) => name in before && before[name] !== after[name]);
  return [
    ...added.map((name) => `+ ${what} ${name}`),
    ...gone.map((name) => `- ${what} ${name}`),
    ...changed.map((name) => `${what} ${name} changed`),
  ];
}
