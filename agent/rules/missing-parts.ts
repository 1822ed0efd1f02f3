import { modelsOf } from '../definition/agent-models.ts';
import type { AgentManifest, JsonSchema, ToolManifest } from '../definition/manifest.ts';
import { narrowing } from './narrower-schema.ts';

/** Parts of a worker's config that a started run needs by name. */
export interface ConfigParts {
  agents: Pick<ReadonlySet<string>, 'has'>;
  tools: { get(name: string): { inputSchema: JsonSchema | null } | undefined };
  models: Pick<ReadonlySet<string>, 'has'>;
  kinds: Pick<ReadonlySet<string>, 'has'>;
  /** Further task queues of the config. */
  queues: Pick<ReadonlySet<string>, 'has'>;
  /** The agent has a parser in place of its kind's. */
  hasParser(agent: string): boolean;
}

/**
 * Returns what a run with this definition lacks in a config, as sentences. A run keeps the definition that it started with; the code of its
 * tools, models, kinds and parsers is the worker's.
 */
export function missingParts(manifest: AgentManifest, parts: ConfigParts): string[] {
  const { name, kind, parser, modelQueue } = manifest;
  const [first, ...others] = modelsOf(manifest).map(({ adapter }) => adapter);
  return [
    ...(parts.kinds.has(kind)
      ? []
      : [`The config has no agent of the kind "${kind}": the next model call fails.`]),
    ...unknownModel(first, 'the next model call fails', parts),
    ...others.flatMap((adapter) => unknownModel(adapter, 'a model call that comes to it fails', parts)),
    ...(parser !== true || parts.hasParser(name)
      ? []
      : [`The agent "${name}" has no parser: the next model call fails.`]),
    ...unserved('model calls', modelQueue, parts),
    ...manifest.tools.flatMap((tool) => problemsOfTool(tool, parts)),
  ];
}

function unknownModel(adapter: string | undefined, effect: string, { models }: ConfigParts): string[] {
  if (adapter === undefined || models.has(adapter)) return [];
  return [`The config has no ${modelNamed(adapter)}: ${effect}.`];
}

/** `agent:NAME` is the model that an agent brings with it, `agent:NAME/2` its second one. */
function modelNamed(adapter: string): string {
  const [, agent] = /^agent:([^/]*)/su.exec(adapter) ?? [];
  return agent === undefined ? `model "${adapter}"` : `agent "${agent}" with its own model`;
}

function problemsOfTool(tool: ToolManifest, parts: ConfigParts): string[] {
  const { name, agent, handoff, human, client, external, taskQueue } = tool;
  if (human === true || client === true || external === true) return [];
  if (handoff !== undefined) {
    if (parts.agents.has(handoff)) return [];
    return [`The config has no agent "${handoff}": a handoff to it fails the run (AgentNotFound).`];
  }
  if (agent !== undefined) {
    if (parts.agents.has(agent)) return [];
    return [`The config has no agent "${agent}", which the tool "${name}" runs: a call of the tool fails.`];
  }
  const current = parts.tools.get(name);
  if (current === undefined)
    return [`The config has no tool "${name}": a call of the tool waits for a person (ToolNotFound).`];
  const narrower = narrowing(tool.inputSchema, current.inputSchema);
  return [
    ...(narrower === undefined
      ? []
      : [`The tool "${name}" ${narrower}. The model of this run knows the earlier schema.`]),
    ...unserved(`calls of the tool "${name}"`, taskQueue, parts),
  ];
}

function unserved(calls: string, taskQueue: string | undefined, { queues }: ConfigParts): string[] {
  if (taskQueue === undefined || queues.has(taskQueue)) return [];
  return [`The config has no task queue "${taskQueue}": ${calls} find no worker.`];
}
