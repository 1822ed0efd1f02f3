import { setTimeout as sleep } from 'node:timers/promises';
import {
  ToolError,
  agentTool,
  defineAgent,
  defineConfig,
  defineTool,
  externalTool,
  http,
  mcp,
  openai,
  python,
  z,
} from '../../index.ts';
import type { Tool, ToolContext, ToolOptions } from '../../adapters/tools/index.ts';
import { scripted } from '../../features/testing/index.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type Task, begin, journal, linesOf, note, places, readTask } from './task.ts';

export const LOCAL = ['plain', 'deaf', 'progress', 'checkpoint', 'once', 'defer'] as const;
export const REMOTE = ['sub_agent', 'external', 'mcp_stdio', 'mcp_http', 'http', 'python'] as const;
export const MODELS = ['silent', 'gap', 'stream', 'whole'] as const;
export const EXTERNAL_QUEUE = 'durations-external';
/** Calls at a time: all of a table. */
export const SLOTS = 1000;
/** Longer than any row. */
const LONG = '20m';
/** As long as a lost attempt may still act: `reconcile` waits for it where a busy machine starts the next worker late. */
const paidLimit = () => `${places.longest() + 100}s`;

type Local = (typeof LOCAL)[number];

/** The config of all processes. `seconds`: the durations, each of which has tools and models with such a time-out. */
export async function durationsConfig(seconds: readonly number[]) {
  const options = { timeout: LONG, retry: { maxAttempts: 1 }, onFailure: 'observe' } as const;
  const server = {
    command: process.execPath,
    args: ['--import', 'tsx', `${import.meta.dirname}/mcp-stdio.ts`],
  };
  const env = { ...process.env, DURATIONS_FOLDER: places.folder() } as { [name: string]: string };
  const { host } = new URL(places.services());
  const tools: Tool[] = [
    ...LOCAL.map((kind) => local(kind, kind, options)),
    paid({ ...options, timeout: paidLimit() }),
    agentTool({ agent: 'helper', name: 'sub_agent', description: 'asks an agent', onFailure: 'observe' }),
    externalTool({
      ...options,
      name: 'external',
      description: 'another worker',
      taskQueue: EXTERNAL_QUEUE,
      // On a full machine a task was lost on its way from Temporal (1.32) to a worker of the SDK (1.24): it had started, and no code of ours ran.
      heartbeatTimeout: '20s',
      retry: { maxAttempts: 2 },
    }),
    ...(await mcp({ ...server, env }, options)),
    ...(await mcp({ url: `${places.services()}/mcp` }, options)),
    http({ ...options, allow: [host] }),
    python({ ...options, interpreter: 'python3' }),
    defineTool({ name: 'ask', description: 'asks a person', approval: 'always', run: () => 'approved' }),
  ];
  const limited = seconds.flatMap((limit) =>
    LOCAL.map((kind) => local(kind, `${kind}_${limit}`, { ...options, timeout: `${limit}s` })),
  );
  const asked = openai({ baseURL: `${places.services()}/v1`, apiKey: 'durations' });
  return defineConfig({
    models: Object.fromEntries(MODELS.map((name) => [name, asked])),
    agents: [
      defineAgent({ name: 'caller', kind: 'tool-calling', model: calls, tools: [...tools, ...limited] }),
      defineAgent({ name: 'helper', kind: 'tool-calling', model: calls, tools: tools.slice(0, 1) }),
      ...MODELS.map((name) => defineAgent({ ...asking(name), name })),
      ...seconds.map((limit) =>
        defineAgent({ ...asking('silent'), name: `silent_${limit}`, requestTimeout: `${limit}s` }),
      ),
    ],
  });
}

function asking(model: (typeof MODELS)[number]) {
  return {
    kind: 'tool-calling',
    model,
    stream: model !== 'whole',
    requestTimeout: LONG,
    modelRetry: { maxAttempts: 1 },
    onModelFailure: 'fail',
  } as const;
}

/** Calls the tool that the question names, and answers with its result. */
const calls = scripted(({ body: { messages } }) => {
  const last = (messages as { role: string; content: unknown }[]).at(-1); // of a chat completion
  if (last?.role === 'tool') return `answer: ${String(last.content)}`;
  const question = String(last?.content);
  const task = readTask(question);
  return { toolCalls: [{ name: task.tool, arguments: inputOf(task, question) }] };
});

function inputOf(task: Task, question: string): Json {
  const { tool, seconds, key } = task;
  if (tool === 'http') return { url: `${places.services()}/page?task=${encodeURIComponent(question)}` };
  if (tool === 'sub_agent') return { __arg1: JSON.stringify({ ...task, tool: 'plain' }) };
  if (tool === 'external' || tool === 'ask') return { __arg1: question };
  if (tool !== 'python') return { task: question };
  const file = JSON.stringify(journal('begun'));
  const noted = `open(${file}, 'a').write(${JSON.stringify(key)} + '\\n')`;
  const again = `open(${file}).read().split().count(${JSON.stringify(key)}) > 1`;
  const pause = task.endless === true ? `(1 if ${again} else 3600)` : `${seconds}`;
  const code = `import time\nx = ${noted}\ntime.sleep(${pause})\nprint('did ${key}')`;
  return { __arg1: code };
}

function local(kind: Local, name: string, options: Omit<ToolOptions, 'name' | 'description'>): Tool {
  return defineTool({
    ...options,
    name,
    description: `${kind}: takes its time`,
    ...(kind === 'once' && { effects: 'once' }),
    input: z.object({ task: z.string() }),
    async run({ task: text }, context) {
      const task = readTask(text);
      const { key, end } = task;
      const seconds = begin(task);
      if (kind === 'defer') {
        const { token } = await context.defer();
        const answer = { token, at: Date.now() + seconds * 1000, output: `did ${key}` };
        note('tokens', JSON.stringify(answer));
        return 'later';
      }
      // After a rewind the call is another one, and begins without a checkpoint.
      const lost = kind === 'checkpoint' && task.killed === true ? partsLost(key, context) : 0;
      await wait(kind, { key, seconds }, context);
      if (lost > 0) return `lost ${lost} parts`;
      if (end === 'error') throw new Error('it broke');
      if (end === 'tool error') throw new ToolError('it is closed');
      return `did ${key}`;
    },
  });
}

/** Takes effect once, in the middle of its time or before it, as the task says. */
function paid(options: Omit<ToolOptions, 'name' | 'description'>): Tool {
  return defineTool({
    ...options,
    name: 'paid',
    description: 'takes effect',
    effects: 'once',
    input: z.object({ task: z.string() }),
    async run({ task: text }, { commit, signal }) {
      const task = readTask(text);
      const { key, end } = task;
      const seconds = begin(task);
      const pause = () => sleep(seconds * 1000, undefined, { signal });
      if (end === 'before the effect') await pause();
      await commit();
      note('effects', key);
      if (end === 'after the effect') await pause();
      return `did ${key}`;
    },
    reconcile({ task }) {
      const { key } = readTask(task);
      return linesOf('effects').includes(key)
        ? { status: 'done', output: `did ${key}` }
        : { status: 'notDone' };
    },
  });
}

/** Checkpoints that were stored and that the attempt does not know of. */
function partsLost(key: string, { lastCheckpoint = -1 }: ToolContext): number {
  const stored = linesOf('stored').filter((line) => line === key).length;
  return stored - 1 - Number(lastCheckpoint);
}

async function wait(
  kind: Local,
  { key, seconds }: Pick<Task, 'key' | 'seconds'>,
  { signal, checkpoint, progress, lastCheckpoint = -1 }: ToolContext,
): Promise<void> {
  if (kind === 'deaf') return sleep(seconds * 1000);
  const until = performance.now() + seconds * 1000;
  for (let n = Number(lastCheckpoint) + 1; performance.now() < until; n++) {
    if (kind === 'progress') progress(`${n}`);
    if (kind === 'checkpoint') {
      await checkpoint(n);
      note('stored', key);
    }
    const pause = kind === 'progress' || kind === 'checkpoint' ? 500 : Infinity;
    await sleep(Math.max(0, Math.min(pause, until - performance.now())), undefined, { signal });
  }
}
