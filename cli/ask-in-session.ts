import type { LoadedConfig } from '../config/loaded-config.ts';
import type { AgentClient } from '../client/agent-client.ts';
import { newRunId } from '../client/run-id.ts';
import type { StartOptions } from '../client/start-options.ts';
import type { AgentRun } from '../client/agent-run.ts';
import type { Input } from '../client/read-input.ts';
import { SessionNotFound } from '../client/errors.ts';
import { placeOfSession } from '../client/place.ts';
import { shellWord } from './print/display.ts';
import { UsageError } from './exit-codes.ts';
import { type Io, say } from './io.ts';
import { checkQueueOf } from './command-config.ts';
import { type CliContext, needsWorker } from './context.ts';
import { type CommandConfig, serving } from './task-queue.ts';
import { attended } from './with-run.ts';
import { reloop } from '../client/typed-command.ts';

export interface SessionQuestion {
  /** The session's. */
  name: string;
  agent: string;
  input: Input;
  /** Undefined where the workers' config is not here. */
  config: CommandConfig | undefined;
  /** The queue of a session that is new. */
  taskQueue: string;
  options: StartOptions;
}

/** The run of a question; `left` is the signal that came before its turn. */
export interface Asked {
  run: AgentRun;
  left: 'SIGINT' | 'SIGTERM' | undefined;
  /** This process has become the worker. */
  ours: boolean;
}

/** Asks in a session and comes back when it is the question's turn. That takes a worker, which may have to be this process. */
export async function askInSession(io: Io, context: CliContext, question: SessionQuestion): Promise<Asked> {
  const { config } = question;
  const taskQueue = await queueOf(context, question);
  const ours = config !== undefined && (await needsWorker(context, taskQueue));
  if (ours) await context.startWorker(config, 'run', [taskQueue]);
  return { ...(await awaitTurn(io, context, { ...question, taskQueue })), ours };
}

/** The same where whoever is to be the worker is there; the task queue is the session's. */
export async function awaitTurn(
  io: Io,
  context: CliContext,
  { name, agent, input, taskQueue, options }: Omit<SessionQuestion, 'config'>,
): Promise<Omit<Asked, 'ours'>> {
  const { client } = context;
  const { id = newRunId(agent) } = options;
  const run = client.get(id);
  await sayTurn(io, client, name);

  const started = client.start(agent, input, { ...options, session: name, id, taskQueue });
  started.catch(() => undefined); // nobody waits for it after a signal
  let stopSignals: () => void = () => undefined;
  const signal = new Promise<'SIGINT' | 'SIGTERM'>((resolve) => (stopSignals = io.onSignal(resolve)));
  try {
    const first = await attended(
      context,
      () => placeOfSession(client.temporal, name),
      () => Promise.race([started, signal]),
    );
    if (typeof first !== 'string') return { run, left: undefined };
    say(io, await becomesOf(client, name, id));
    return { run, left: first };
  } finally {
    stopSignals();
  }
}

/** What becomes of a question that is no longer waited for: a worker has put it in the queue, or nobody has yet. */
export async function becomesOf(client: AgentClient, name: string, id: string): Promise<string> {
  const { queued, runs } = await client.session(name).describe();
  return queued.includes(id) || runs.includes(id)
    ? `The question stays in session ${name} and is answered when its turn comes, as run ${id}.`
    : `No worker has taken the question: ask it again with --id ${shellWord(id)} to be sure of an answer.`;
}

/** Leaves a question in a session; says where nobody is there to answer it. */
export async function leaveInSession(
  io: Io,
  context: CliContext,
  question: SessionQuestion,
): Promise<AgentRun> {
  const { name, agent, input, options } = question;
  const taskQueue = await queueOf(context, question);
  const place = { session: name, detach: true, taskQueue };
  const run = await context.client.start(agent, input, { ...options, ...place });
  if (await needsWorker(context, taskQueue)) {
    say(
      io,
      `It is recorded, and begins with the next ${serving('dev', taskQueue)} or question in this session.`,
    );
  }
  return run;
}

/** Throws for an agent whose prompt has no place for what was said before. */
export function checkTakesHistory(loaded: LoadedConfig, agent: string): void {
  const kind = loaded.manifest(agent, {})?.kind ?? '';
  if (loaded.kinds.get(kind)?.chatHistory !== false) return;
  const others = [...loaded.kinds.values()].filter((other) => other.chatHistory).map((other) => other.name);
  throw new UsageError(
    `Agent "${agent}" is of kind ${kind}, whose prompt has no place for earlier messages: it takes no --session. Kinds that have one: ${others.join(', ')}.`,
  );
}

/** A session that is there stays on the task queue it was begun on; its runs are done there. Throws UsageError. */
export async function queueOf(
  context: CliContext,
  { name, config, taskQueue }: Pick<SessionQuestion, 'name' | 'config' | 'taskQueue'>,
): Promise<string> {
  try {
    const { taskQueue: begunOn } = await placeOfSession(context.client.temporal, name);
    if (config !== undefined) await checkQueueOf(context, `Session ${name}`, begunOn, config);
    return begunOn;
  } catch (error) {
    if (error instanceof SessionNotFound) return taskQueue;
    throw error;
  }
}

async function sayTurn(io: Io, client: AgentClient, name: string): Promise<void> {
  const report = await client
    .session(name)
    .describe()
    .catch(() => undefined); // it is new, or gone: then there is nothing to wait for
  const { running = null, queued = [] } = report ?? {};
  const before = running ?? queued[0];
  if (before === undefined) return;
  const more = queued.length - (running === null ? 1 : 0);
  const others = more > 0 ? ` and ${more} more` : '';
  say(
    io,
    `Waiting for its turn in session ${name}: before it comes ${before}${others} (\`${reloop()} watch ${shellWord(before)}\`).`,
  );
}
