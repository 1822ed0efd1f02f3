import type { AgentClient } from '../../client/api/agent-client.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Model, ToolError, agentTool, defineTool, human } from '../../index.ts';
import { guarded } from './sample-tools.ts';
import { act, answer, modelOf } from './scripts.ts';

/** A path through the loop on which a person has a say: what the agent does, and what is said to its run. */
export interface OperatedPath {
  name: string;
  model: Model;
  options?: object;
  /** Resolves with further runs to keep, by name, once nothing more is to be said. */
  steer(run: AgentRun, client: AgentClient): Promise<{ [name: string]: AgentRun } | void>;
}

const script = (...replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('done'));
export const job = defineTool({
  name: 'job',
  description: 'is done elsewhere',
  run: async (_input, ctx) => `queued${(await ctx.defer()).token.slice(0, 0)}`,
});
const echo = defineTool({ name: 'echoes', description: 'echoes', run: (input) => `echo ${input}` });
const breaks = defineTool({
  name: 'breaks',
  description: 'fails the run',
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  run: (input) => {
    if (input !== 'mended') throw new Error('out of order');
    return 'mended it is';
  },
});
export const pays = defineTool({
  name: 'pays',
  description: 'pays',
  effects: 'once',
  async run(input, ctx) {
    await ctx.commit();
    if (input === 'nobody') throw new ToolError('there is no nobody');
    if (input === 'lost') throw new Error('connection lost');
    return `paid ${input}`;
  },
});
const clears = defineTool({
  name: 'clears',
  description: 'knows what it did',
  effects: 'once',
  run: () => Promise.reject(new Error('connection lost')),
  reconcile: () => ({ status: 'done', output: 'found in the ledger' }),
});
const tools = [guarded, job, echo, breaks, pays, clears, human(), human({ name: 'hasty', askTimeout: 500 })];
const waiting = async (run: AgentRun, call = '1.1', n = 0) => {
  for await (const event of run.events({ live: false }))
    if (event.type === 'waiting' && event.wait.call === call && event.wait.n === n) return;
  throw new Error(`${run.id} ended without waiting at ${call}.`);
};
const nothing = () => Promise.resolve();

export const operatedTools = tools;

export const operatedPaths: readonly OperatedPath[] = [
  {
    name: 'approve',
    model: script(act('guarded', 'a'), act('guarded', 'b')),
    async steer(run) {
      await waiting(run);
      await run.decide('1.1', { type: 'approve', remember: 'tool' });
    },
  },
  {
    name: 'reject',
    model: script(act('guarded', 'a')),
    async steer(run) {
      await waiting(run);
      await run.decide('1.1', { type: 'reject', reason: 'no' });
    },
  },
  {
    name: 'approve-within',
    model: script(act('approve', 'x')),
    options: { tools: [agentTool({ agent: 'approve', description: 'asks', approval: 'always' })] },
    async steer(run) {
      await waiting(run);
      await run.decide('1.1', { type: 'approve' });
      await waiting(run, '1.1/1.1');
      await run.decide('1.1/1.1', { type: 'approve', remember: 'tool' });
    },
  },
  {
    name: 'deferred',
    model: script(act('job', 'x')),
    async steer(run) {
      await waiting(run);
      await run.decide('1.1', { type: 'retry' });
      await waiting(run, '1.1', 1);
      await run.decide('1.1', { type: 'resolve', output: { rows: 3 } });
    },
  },
  {
    name: 'person',
    model: script(act('ask_human', 'which?')),
    async steer(run) {
      await waiting(run);
      await run.decide('1.1', { type: 'resolve', output: 'the red one' });
    },
  },
  { name: 'unanswered', model: script(act('hasty', 'which?')), steer: nothing },
  {
    name: 'once',
    model: script(act('pays', 'Ann'), act('pays', 'nobody'), act('pays', 'lost')),
    async steer(run) {
      await waiting(run, '3.1');
      await run.decide('3.1', { type: 'resolve', output: 'it had been paid' });
    },
  },
  { name: 'reconciled', model: script(act('clears', 'x')), steer: nothing },
  {
    name: 'said',
    model: script(act('ask_human', 'which?')),
    async steer(run) {
      await waiting(run);
      await run.say('be brief');
      await run.decide('1.1', { type: 'resolve', output: 'that one' });
    },
  },
  {
    name: 'paused',
    model: script(act('ask_human', 'which?')),
    async steer(run) {
      await waiting(run);
      await run.pause();
      await run.decide('1.1', { type: 'resolve', output: 'that one' });
      await run.resume();
    },
  },
  {
    name: 'extended',
    model: modelOf((step) => (step === '4' ? answer('done') : act('echoes', step))),
    options: { maxIterations: 2, onLimit: 'ask' },
    async steer(run) {
      await waiting(run, '3');
      await run.extend({ iterations: 5 });
    },
  },
  {
    name: 'limit-stopped',
    model: modelOf((step) => act('echoes', step)),
    options: { maxIterations: 2, onLimit: 'ask' },
    async steer(run) {
      await waiting(run, '3');
      await run.decide('3', { type: 'stop' });
    },
  },
  {
    name: 'budget',
    model: modelOf((step) => act('echoes', step)),
    options: { budget: { totalTokens: 40 } },
    steer: nothing,
  },
  {
    name: 'retried-run',
    model: script(act('echoes', 'a'), act('breaks', 'x')),
    async steer(run) {
      await run.result().catch(() => undefined); // it is meant to fail
      await run.retry({ call: '2.1', input: 'mended' });
    },
  },
  {
    name: 'rewound-live',
    model: script(act('echoes', 'a'), act('pays', 'Ann'), act('guarded', 'b')),
    async steer(run) {
      await waiting(run, '3.1');
      await run.pause();
      await run.say('too early');
      await run.rewind({ step: 2 });
      await waiting(run, '2.1', 1);
      await run.decide('2.1', { type: 'skip' });
      await waiting(run, '3.1', 1);
      await run.rewind({ step: 3 });
      await waiting(run, '3.1', 2);
      await run.decide('3.1', { type: 'approve' }, 2);
    },
  },
  {
    name: 'rewound',
    model: script(act('echoes', 'a'), act('pays', 'Ann'), act('echoes', 'b')),
    async steer(run, client) {
      await run.result();
      const { id } = await run.fork({ step: 3, edits: { '1.1': 'echo of something else' }, say: 'go on' });
      await client.get(id).result();
      await run.rewind({ step: 2 });
      await waiting(run, '2.1', 1);
      await run.decide('2.1', { type: 'retry' });
      return { forked: client.get(id) };
    },
  },
];
