/** A runner of agents. Its program is an adapter in adapters/, which says what of the product's docs it follows. */
export interface Contestant {
  name: string;
  what: string;
  /** Path of the program, relative to this folder. */
  program: string;
  /** A folder with packages of its own: `npm --prefix bench/durability/FOLDER install`. */
  packages?: string;
  /** Servers that live as long as the suite. Only the contestant's own process is killed. */
  needs: readonly ('temporal' | 'postgres')[];
  /** Stories that the product has nothing for. */
  lacks?: readonly string[];
}

/** The runner with which the suite is tested. */
export const fake: Contestant = {
  name: 'fake',
  what: 'a runner of ours for the test of the suite',
  program: 'adapters/fake.ts',
  needs: [],
};

const peers = 'peers';

export const contestants: readonly Contestant[] = [
  { name: 'reloop', what: 'Reloop', program: 'adapters/reloop.ts', needs: ['temporal'] },
  {
    name: 'langchain',
    what: 'AgentExecutor of @langchain/classic, without persistence',
    program: `${peers}/langchain.mjs`,
    packages: peers,
    needs: [],
    lacks: ['approval'],
  },
  {
    name: 'langgraph',
    what: '@langchain/langgraph with its Postgres checkpointer',
    program: `${peers}/langgraph.mjs`,
    packages: peers,
    needs: ['postgres'],
  },
  {
    name: 'openai-agents',
    what: "@temporalio/openai-agents, Temporal's plugin for the OpenAI Agents SDK",
    program: `${peers}/openai-agents.mjs`,
    packages: peers,
    needs: ['temporal'],
  },
  {
    name: 'dbos',
    what: '@dbos-inc/dbos-sdk: a loop by hand of steps',
    program: `${peers}/dbos.mjs`,
    packages: peers,
    needs: ['postgres'],
  },
];
