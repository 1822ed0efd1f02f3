import { z } from 'zod/v4';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { type ConfigDefinition, ConfigError, type QueueDefinition } from '../define.ts';
import { concurrencySchema } from './concurrency-option.ts';
import { options } from './options.ts';

const names = z.array(z.string());

const queueShape = {
  models: z.union([z.literal(true), names], 'is neither true nor a list of model names'),
  tools: names,
  concurrency: concurrencySchema,
  maxPerSecond: z
    .number('is not a number above 0')
    .positive('is not a number above 0')
    .finite('is not a number above 0'),
} satisfies Record<keyof QueueDefinition, z.ZodType>;

export const queuesSchema = z.record(z.string().min(1, 'is an empty name'), options(queueShape).partial());

/** Task queues of a config beside its own, by name. */
export type Queues = ReadonlyMap<string, QueueDefinition>;

/** Known names of a config. */
interface Known {
  /** Task queue of the config's runs. */
  own: string;
  /** Models, as agents name them. */
  models: ReadonlySet<string>;
  tools: ReadonlyMap<string, Tool>;
}

/** Queues of a config. Throws {@link ConfigError} for a tool or model that is unknown, is in two queues, or has no calls that could be placed. */
export function allQueues(definitions: ConfigDefinition['queues'] = {}, known: Known): Queues {
  const queues = new Map(Object.entries(definitions));
  if (queues.has(known.own)) {
    throw new ConfigError(
      `queues: "${known.own}" is the task queue of the config's runs, where calls are made by default. Give the queue another name.`,
    );
  }
  const placed = new Map<string, string>();
  for (const [queue, { models, tools = [] }] of queues) {
    const where = `queues: "${queue}"`;
    for (const name of tools) {
      const problem = problemOfTool(name, known.tools);
      if (problem !== undefined) throw new ConfigError(`${where}: ${problem}`);
    }
    const unknown = models === true ? undefined : models?.find((name) => !known.models.has(name));
    if (unknown !== undefined) {
      throw new ConfigError(
        `${where}: no agent has the model "${unknown}", and it is not in the config's models. Known: ${[...known.models].join(', ')}.`,
      );
    }
    const things = [
      ...tools.map((name) => `the tool "${name}"`),
      ...(models === true ? ['models: true'] : (models ?? []).map((name) => `the model "${name}"`)),
    ];
    for (const thing of things) {
      const other = placed.get(thing);
      if (other !== undefined) {
        const places = other === queue ? 'twice' : `in "${other}" too`;
        throw new ConfigError(`${where}: ${thing} is there ${places}. Leave one out.`);
      }
      placed.set(thing, queue);
    }
  }
  return queues;
}

function problemOfTool(name: string, tools: Known['tools']): string | undefined {
  const tool = tools.get(name);
  const leaveOut = 'Take it out of queues';
  switch (tool?.remote?.type) {
    case 'activity':
      return `the tool "${name}" is made by another worker, on the taskQueue of its externalTool. ${leaveOut}.`;
    case 'agent':
      return `the tool "${name}" is the run of an agent, which makes its own calls. ${leaveOut}.`;
    case 'human':
      return `the tool "${name}" is a question to a person, which no worker answers. ${leaveOut}.`;
    case undefined:
      break;
  }
  if (tool === undefined) {
    return `there is no tool "${name}" in the config. It has: ${[...tools.keys()].join(', ') || 'none'}.`;
  }
  if (tool.inline !== true) return undefined;
  return `the tool "${name}" is inline, so its calls are made with the model call. ${leaveOut}, or give the tool inline: false.`;
}

/** Task queue of the calls of a model, as its agent names it; undefined: that of the run. */
function queueOfModel(queues: Queues, model: string): string | undefined {
  const listed = [...queues].find(([, { models }]) => models !== true && models?.includes(model));
  const [queue] = listed ?? [...queues].find(([, { models }]) => models === true) ?? [];
  return queue;
}

/** Adds the task queues of an agent's calls. `model`: as the agent names it. A run keeps the queues that it started with. */
export function onQueues(manifest: AgentManifest, queues: Queues, model: string): AgentManifest {
  if (queues.size === 0) return manifest;
  return {
    ...manifest,
    modelQueue: queueOfModel(queues, model),
    tools: manifest.tools.map((tool) => {
      const [taskQueue] = [...queues].find(([, { tools }]) => tools?.includes(tool.name)) ?? [];
      return taskQueue === undefined ? tool : { ...tool, taskQueue };
    }),
  };
}
