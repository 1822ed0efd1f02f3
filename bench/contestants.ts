import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { AgentClient } from 'reloop/client';
import { question } from './task.ts';

/** How a run is started where a contestant works. */
export interface Place {
  temporal: Client;
  agents: AgentClient;
  /** The contestant's name. */
  taskQueue: string;
}

/** One way to run the loop: a worker program, and how its user starts a run and waits for the answer. */
export interface Contestant {
  name: string;
  what: string;
  /** Its worker, from this folder. */
  program: string;
  /** The activity that begins each step. */
  modelActivity: string;
  /** Left out unless `--only` names it. */
  isExtra?: boolean;
  /** Resolves with the answer. */
  run(place: Place, id: string, steps: number): Promise<unknown>;
}

const handwritten = {
  modelActivity: 'think',
  run: ({ temporal, taskQueue }: Place, workflowId: string, steps: number) =>
    temporal.workflow.execute('handwritten', { workflowId, taskQueue, args: [workflowId, steps] }),
};

const reloop = {
  modelActivity: 'callModel',
  run: async ({ agents }: Place, id: string, steps: number) =>
    (await agents.run('bench', question(steps), { id })).output,
};

const peer = {
  run: ({ temporal, taskQueue }: Place, workflowId: string, steps: number) =>
    temporal.workflow.execute('loop', {
      workflowId,
      taskQueue,
      args: [question(steps), steps + 1],
      // Some tasks that grow beyond what Temporal takes are tried again for ever.
      workflowExecutionTimeout: `${120 + Math.ceil(steps / 5)} s`,
    }),
};

/** Not in the tables: bench/growth.ts runs it. */
export const trimmed: Contestant = {
  name: 'reloop-trimmed',
  what: 'an agent that sees the last 20 steps only',
  program: 'contestants/reloop-trimmed.ts',
  ...reloop,
};

/** In the order of the tables; the first three are what the others are compared with. */
export const contestants: readonly Contestant[] = [
  {
    name: 'floor',
    what: 'a hand-written workflow of two constant activities a step',
    program: 'contestants/floor.ts',
    ...handwritten,
  },
  {
    name: 'append',
    what: 'the same, the transcript kept in the worker and sent to the model',
    program: 'contestants/append.ts',
    ...handwritten,
  },
  {
    name: 'reloop',
    what: 'an agent with one tool, by client.run()',
    program: 'contestants/reloop.ts',
    ...reloop,
  },
  {
    name: 'reloop-inline',
    what: 'the same with a tool that is run with the model call',
    program: 'contestants/reloop-inline.ts',
    ...reloop,
  },
  {
    name: 'reloop-telemetry',
    what: 'the same as reloop, with telemetry on',
    program: 'contestants/reloop-telemetry.ts',
    isExtra: true,
    ...reloop,
  },
  {
    name: 'openai-agents',
    what: "Temporal's plugin for the OpenAI Agents SDK",
    program: 'peers/openai-agents.mjs',
    modelActivity: 'invokeModelActivity',
    ...peer,
  },
  {
    name: 'ai-sdk',
    what: "Temporal's plugin for Vercel's AI SDK",
    program: 'peers/ai-sdk.mjs',
    modelActivity: 'invokeModel',
    ...peer,
  },
];

/** Those that are named, else all that are ready to run. Throws for a name that nobody has, or that is not installed. */
export function chooseContestants(names: readonly string[] | undefined): Contestant[] {
  if (names === undefined) return contestants.filter((one) => one.isExtra !== true && isInstalled(one));
  return names.map((name) => {
    const found = contestants.find((one) => one.name === name);
    if (found === undefined)
      throw new Error(`No contestant "${name}": ${contestants.map((one) => one.name).join(', ')}.`);
    if (!isInstalled(found)) throw new Error(`${name} is not installed: npm --prefix bench/peers install`);
    return found;
  });
}

/** Peers have packages of their own. */
function isInstalled({ program }: Contestant): boolean {
  const packages = fileURLToPath(new URL('peers/node_modules/@temporalio/worker', import.meta.url));
  return !program.startsWith('peers/') || existsSync(packages);
}
