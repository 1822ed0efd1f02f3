/**
 * Records the histories that test/replay replays, one for each path through the loop. Run once per release:
 *     npx tsx test/support/record-histories.ts test/fixtures/histories/0.2.0
 * Recorded files are never changed or written again: a replay that fails needs `patched()` or the manifest's loop version
 * in the workflow. Until 0.3.0 is released, all may be recorded again.
 */
import { contentText } from '../../agent/values/content.ts';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection } from '@temporalio/worker';
import type { OperatorDecision } from '../../agent/run/events.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import { type Model, ModelError, agentTool, defineModel, defineTool, externalTool } from '../../index.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { createAgentWorker } from '../../worker/create-worker.ts';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { EARLY_CONTINUE_AS_NEW, startDevServer } from './dev-server.ts';
import { inlinePaths, quick } from './inline-paths.ts';
import { operatedPaths, operatedTools } from './operated-paths.ts';
import { quiet } from './quiet.ts';
import { act, answer, inTextFormat, modelOf } from './scripts.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: see the head of this file.');

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
const sleeper = defineTool({
  name: 'sleeper',
  description: 'sleeps',
  retry,
  run: (_input, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('woken')))),
});
const tools = [echo, broken, observing, failing, direct, sleeper, quick];
const script = (...replies: string[]) => modelOf((step) => replies[Number(step) - 1] ?? answer('done'));
const unauthorized = () => new ModelError('ModelAuthenticationError', 'no key', { retryable: false });
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

/** A path: the agent's script, and what is decided once it waits or runs a tool. */
const paths: {
  name: string;
  model: Model;
  decide?: OperatorDecision | 'cancel';
  options?: object;
}[] = [
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
    options: { maxExecutionTime: 2_000, earlyStopping: 'generate' },
  },
  { name: 'repeats', model: modelOf(() => act('echo', 'same')), options: { repeatLimit: 2 } },
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

/** Conversations: what is said, and how it ends. A summary is made of the first; the second goes on as new. */
const friend = modelOf((_step, { prompt }) => {
  if (prompt.type === 'text') return 'They greeted each other.';
  if (contentText(prompt.messages.at(-1)?.content ?? null).endsWith('fail')) throw unauthorized();
  return '```json\n{"action": "Final Answer", "action_input": "I see."}\n```';
});
const sessions = [
  { name: 'session', said: ['hello', 'fail', 'good morning', 'good night'], clear: true },
  { name: 'session-continued', said: Array.from({ length: 36 }, (_, index) => `${index + 1}`), clear: false },
];
const summary = { kind: 'summary', tokens: 8 } as const;

quiet();
const taskQueue = `record-${Date.now()}`;
const agents = [
  ...paths.map(({ name, model, options }) => ({ name, model, tools, ...options })),
  ...operatedPaths.map(({ name, model, options }) => ({ name, model, tools: operatedTools, ...options })),
  { name: 'session', kind: 'conversational' as const, model: friend, memory: summary },
  { name: 'session-continued', kind: 'conversational' as const, model: friend },
];
const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
const server = await startDevServer(path ?? 'temporal', EARLY_CONTINUE_AS_NEW);
const { address } = server;
const native = await NativeConnection.connect({ address });
const connection = await Connection.connect({ address });
const temporal = new Client({ connection });
const config = createLoadedConfig(inTextFormat({ agents }));
const worker = await createAgentWorker(config, { connection: native, taskQueue });
await mkdir(folder, { recursive: true });
const ids = new Map<string, string>();
await worker.runUntil(async () => {
  for (const { name, decide } of paths) {
    const run = await new AgentClient(temporal, address, taskQueue).start(name, 'What now?');
    for await (const event of run.events({ live: false })) {
      const waits =
        event.type === 'waiting' ||
        (event.type === 'tool_started' && ['sleeper', 'elsewhere'].includes(event.tool));
      if (waits && decide === 'cancel') await run.cancel();
      else if (waits && decide !== undefined && decide !== 'cancel')
        await run.decide(event.type === 'waiting' ? event.wait.call : undefined, decide);
    }
    ids.set(name, run.id);
    const runs = new Set<string>();
    for await (const event of run.events({ live: false })) if ('runId' in event) runs.add(event.runId);
    await store(run.id, [...runs], name);
    if (name === 'delegating') await store(`${run.id}/1.1`, await chain(`${run.id}/1.1`), 'sub-agent');
  }
  const client = new AgentClient(temporal, address, taskQueue);
  for (const { name, steer } of operatedPaths) {
    const run = await client.start(name, 'What now?');
    const others = (await steer(run, client)) ?? {};
    for (const [other, one] of Object.entries({ ...others, [name]: run })) {
      await one.result();
      await store(one.id, await chain(one.id), other);
    }
  }
  for (const { name, said, clear } of sessions) {
    for (const [index, input] of said.entries()) {
      const options = { session: name, id: `${name}-${index}`, detach: index % 2 === 1 };
      await client.start(name, input, options);
    }
    while ((await client.session(name).describe()).runs.length < said.length) await sleep(100);
    const last = client.get(`${name}-${said.length - 1}`);
    await last.result();
    await sleep(1000); // the session keeps the answer, and may sum up
    if (clear) {
      await store(last.id, [(await last.describe()).runId], 'run-in-session');
      await client.session(name).clear();
    }
    await store(`session:${name}`, await chain(`session:${name}`), name);
  }
  // The one is asked again and decides alike; the other makes a call that is run, and one that ends it.
  const recorded = ['final-answer', 'return-direct'].map((name) => ids.get(name) ?? '');
  const backtest = await client.backtest('final-answer', { runs: recorded, live: 'none-effects' });
  await backtest.report();
  await store(backtest.workflowId, await chain(backtest.workflowId), 'backtest');
  for (const [index, name] of ['backtest-same', 'backtest-left'].entries()) {
    const id = `${backtest.workflowId}/${recorded[index]}`;
    await store(id, await chain(id), name);
  }
});
await connection.close();
await native.close();
await server.stop();

/** All runs of a workflow, oldest first. */
async function chain(id: string): Promise<string[]> {
  const ids: string[] = [];
  for (let runId = (await temporal.workflow.getHandle(id).describe()).runId; runId !== '';) {
    ids.unshift(runId);
    const { events } = await temporal.workflow.getHandle(id, runId).fetchHistory();
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  }
  return ids;
}

async function store(id: string, runs: string[], name: string): Promise<void> {
  for (const [index, runId] of runs.entries()) {
    const history = await temporal.workflow.getHandle(id, runId).fetchHistory();
    const file = join(String(folder), `${name}${index === 0 ? '' : `-${index + 1}`}.json`);
    if (existsSync(file)) continue;
    await writeFile(file, JSON.stringify(JSON.parse(historyToJSON(history), withoutMachine), null, 1));
  }
  console.log(name, runs.length);
}

/** Nothing of the machine that recorded goes into a file: no stack, no host, no process. */
function withoutMachine(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  if (key === 'identity') return 'recorder';
  return typeof value === 'string' ? value.replaceAll(hostname(), 'host') : value;
}
