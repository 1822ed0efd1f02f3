import type { OperatorDecision } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Model, ModelError, agentTool, defineModel, defineTool, externalTool } from '../../index.ts';
import { inlinePaths, quick } from './inline-paths.ts';
import { act, answer, modelOf } from './scripts.ts';

const retry = { maxAttempts: 1 };
const echo = defineTool({
  name: 'echo',
  description: 'echoes',
  effects: 'none',
  run: (input) => `echo ${input}`,
});
const broken = defineTool({
  name: 'broken',
  description: 'fails unless it is told to be good',
  retry,
  run(input) {
    if (input !== 'good') throw new Error('out of order');
    return 'good it is';
  },
});
const observing = defineTool({
  ...broken,
  name: 'observing',
  onFailure: 'observe',
  run: () => Promise.reject(new Error('no')),
});
const failing = defineTool({
  ...broken,
  name: 'failing',
  onFailure: 'fail',
  run: () => Promise.reject(new Error('out of order')),
});
const direct = defineTool({
  name: 'direct',
  description: 'returns directly',
  returnDirect: true,
  run: () => ({ answer: 42 }),
});
export const sleeper = defineTool({
  name: 'sleeper',
  description: 'sleeps',
  retry,
  run: (_input, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('woken')))),
});
export const loopTools = [echo, broken, observing, failing, direct, sleeper, quick];
const script = (...replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('done'));
export const unauthorized = () => new ModelError('ModelAuthenticationError', 'no key', { retryable: false });
const refusing = modelOf(() => {
  throw unauthorized();
});

/** Three calls in one turn, of which one fails and one cannot be read. */
const parallel = defineModel({
  call: (_request, { step }) =>
    Promise.resolve({
      text: step === '1' ? '' : 'done',
      toolCalls:
        step === '1'
          ? [
              { id: 'a', name: 'echo', arguments: '{"__arg1":"a"}' },
              { id: 'b', name: 'broken', arguments: '{"__arg1":"x"}' },
              { id: 'c', name: 'echo', arguments: '{"__arg1":' },
            ]
          : [],
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    }),
});

/** A call that fails the run, and one beside it that has to go with it. */
const fatal = defineModel({
  call: () =>
    Promise.resolve({
      text: '',
      toolCalls: ['sleeper', 'failing'].map((name) => ({ id: name, name, arguments: '{"__arg1":"x"}' })),
      finishReason: 'tool_calls',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    }),
});

/** A provider that is down for as many calls, and then up. */
const outage = (calls: number) => {
  let left = calls;
  return modelOf(() => {
    if (left-- > 0) throw new ModelError('ModelServerError', 'down', { retryable: true });
    return answer('up again');
  });
};
const once = { modelRetry: { maxAttempts: 1 } };

/** A path through the loop: the agent's script, and what is decided whenever it waits or runs a tool that does not end. */
export interface LoopPath {
  name: string;
  model: Model;
  decide?: OperatorDecision | 'cancel';
  options?: object;
}

export const loopPaths: readonly LoopPath[] = [
  { name: 'final-answer', model: script(act('echo', 'a'), 'hm', act('nobody', 'x'), act('observing', 'x')) },
  { name: 'return-direct', model: script(act('direct', 'a')) },
  { name: 'iteration-limit', model: modelOf((step) => act('echo', step)), options: { maxIterations: 2 } },
  {
    name: 'continued',
    model: modelOf((step) => (step === '60' ? answer('done') : act('echo', step))),
    options: { maxIterations: null },
  },
  ...inlinePaths,
  { name: 'model-failed', model: refusing },
  { name: 'outage', model: outage(1), options: once, decide: { type: 'retry' } },
  {
    name: 'outage-resolved',
    model: outage(1),
    options: once,
    decide: { type: 'resolve', output: answer('by hand') },
  },
  { name: 'outage-aborted', model: outage(1), options: once, decide: { type: 'abort', reason: 'enough' } },
  { name: 'fatal', model: fatal, options: { kind: 'tool-calling' } },
  {
    name: 'wait-in-time',
    model: script(act('broken', 'x')),
    options: { maxExecutionTime: 60_000 },
    decide: { type: 'skip' },
  },
  { name: 'retry', model: script(act('broken', 'x')), decide: { type: 'retry', input: 'good' } },
  { name: 'resolve', model: script(act('broken', 'x')), decide: { type: 'resolve', output: { by: 'hand' } } },
  { name: 'skip', model: script(act('broken', 'x')), decide: { type: 'skip', reason: 'why not' } },
  { name: 'abort', model: script(act('broken', 'x')), decide: { type: 'abort' } },
  { name: 'cancel-call', model: script(act('sleeper', 'x')), decide: { type: 'cancelCall' } },
  { name: 'cancel', model: script(act('echo', 'a'), act('sleeper', 'x')), decide: 'cancel' },
  {
    name: 'deadline',
    model: script(act('echo', 'a'), act('sleeper', 'x'), answer('what there is')),
    options: { maxExecutionTime: 6_000, earlyStopping: 'generate' },
  },
  { name: 'repeats', model: modelOf(() => act('echo', 'same')), options: { repeatLimit: 2 } },
  {
    name: 'compacted',
    model: script(act('echo', 'a'), act('echo', 'b'), act('echo', 'c')),
    options: { compaction: { window: 20, keep: 1 } },
  },
  {
    name: 'handed-over',
    model: script(act('echo', 'a'), act('transfer_to_final-answer', '')),
    options: { handoffs: ['final-answer'] },
  },
  {
    name: 'parallel',
    model: parallel,
    options: { kind: 'tool-calling' },
    decide: { type: 'skip' },
  },
  {
    name: 'delegating',
    model: script(act('skip', 'x'), act('return-direct', 'x')),
    options: {
      tools: [
        agentTool({ agent: 'skip', description: 's' }),
        agentTool({ agent: 'return-direct', description: 'r' }),
      ],
    },
    decide: { type: 'skip' },
  },
  {
    name: 'elsewhere',
    model: script(act('elsewhere', 'x')),
    options: {
      tools: [externalTool({ name: 'elsewhere', description: 'runs elsewhere', taskQueue: 'nowhere' })],
    },
    decide: { type: 'cancelCall' },
  },
];

/** Decides as the path says, until the run has ended. */
export async function follow(run: AgentRun, decide: LoopPath['decide']): Promise<void> {
  for await (const event of run.events({ live: false })) {
    const waits =
      event.type === 'waiting' ||
      (event.type === 'tool_started' && ['sleeper', 'elsewhere'].includes(event.tool));
    if (waits && decide === 'cancel') await run.cancel();
    else if (waits && decide !== undefined && decide !== 'cancel')
      await run.decide(event.type === 'waiting' ? event.wait.call : undefined, decide);
  }
}
