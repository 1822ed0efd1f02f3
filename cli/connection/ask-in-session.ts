import type { AgentClient } from '../../client/api/agent-client.ts';
import { newRunId } from '../../client/start/run-id.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { Input } from '../../client/start/read-input.ts';
import { SessionNotFound, unless } from '../../client/connect/errors.ts';
import { locationOfSession } from '../../client/read/run-location.ts';
import { type Io, exitCodes, say, signalCodes } from '../shell/io.ts';
import { attended, needsWorker } from './command-worker.ts';
import type { CliContext } from './context.ts';
import { type CommandConfig, checkQueueOf, serving } from './task-queue.ts';
import { shellWord, typedCommand } from '../../client/connect/cli-name.ts';

export interface QueuedQuestion {
  session: string;
  /** The id of the run that answers the question. */
  id: string;
}

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
  /** Resolves when a run before this question waits for a person, with the lines that say so. Set with `--no-wait`. */
  heldUp?:
    ((question: QueuedQuestion, signal: AbortSignal) => Promise<readonly string[] | undefined>) | undefined;
}

/** Reason why a command leaves a question before its turn: a signal, or the run before it waits for a person. */
export type LeftEarly = 'SIGINT' | 'SIGTERM' | 'waiting';

/** Exit codes of a command that leaves early. */
export const leftEarlyCodes = {
  ...signalCodes,
  waiting: exitCodes.waiting,
} as const satisfies { [why in LeftEarly]: number };

/** The run of a question; `left`: the command ends before its turn. */
export interface QueuedRun {
  run: AgentRun;
  left: LeftEarly | undefined;
  /** This process has become the worker. */
  ours: boolean;
}

/** Asks in a session and comes back when it is the question's turn. That takes a worker, which may have to be this process. */
export async function askInSession(
  io: Io,
  context: CliContext,
  question: SessionQuestion,
): Promise<QueuedRun> {
  const { config } = question;
  const taskQueue = await queueOf(context, question);
  const ours = config !== undefined && (await needsWorker(context, taskQueue));
  if (ours) await context.startWorker(config, 'run', [taskQueue]);
  return { ...(await awaitTurn(io, context, { ...question, taskQueue })), ours };
}

/** The same with a worker that already runs; the task queue is the session's. */
export async function awaitTurn(
  io: Io,
  context: CliContext,
  { name, agent, input, taskQueue, options, heldUp }: Omit<SessionQuestion, 'config'>,
): Promise<Omit<QueuedRun, 'ours'>> {
  const { client } = context;
  const { id = newRunId(agent) } = options;
  const run = client.get(id);
  await sayTurn(io, client, name);

  const started = client.start(agent, input, { ...options, session: name, id, taskQueue });
  started.catch(() => undefined); // no code waits for it after a signal
  let stopSignals: () => void = () => undefined;
  const signal = new Promise<'SIGINT' | 'SIGTERM'>((resolve) => (stopSignals = io.onSignal(resolve)));
  const over = new AbortController();
  const waiting = heldUp?.({ session: name, id }, over.signal) ?? new Promise<never>(() => undefined);
  waiting.catch(() => undefined); // after the turn has come
  try {
    const first = await attended(
      context,
      () => locationOfSession(client.temporal, name),
      () => Promise.race([started.then(() => undefined), signal, waiting]),
    );
    if (first === undefined) return { run, left: undefined };
    if (typeof first !== 'string') for (const line of first) say(io, line);
    say(io, await describeQueued(client, name, id));
    return { run, left: typeof first === 'string' ? first : 'waiting' };
  } finally {
    over.abort();
    stopSignals();
  }
}

/** Status line for a question that the command no longer waits for: a worker has queued it, or no worker has yet. */
export async function describeQueued(client: AgentClient, name: string, id: string): Promise<string> {
  const { queued, runs } = await client.session(name).describe();
  return queued.includes(id) || runs.includes(id)
    ? `The question stays in session ${name} and is answered when its turn comes, as run ${id}.`
    : `No worker has taken the question: ask it again with --id ${shellWord(id)} to be sure of an answer.`;
}

/** Leaves a question in a session; notes if there is no worker to answer it. */
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
      `It is recorded, and starts with the next ${serving('dev', taskQueue)} or question in this session.`,
    );
  }
  return run;
}

/** An existing session stays on the task queue on which it was started; its runs run there. Throws UsageError. */
export async function queueOf(
  context: CliContext,
  { name, config, taskQueue }: Pick<SessionQuestion, 'name' | 'config' | 'taskQueue'>,
): Promise<string> {
  const place = await unless(SessionNotFound, locationOfSession(context.client.temporal, name));
  if (place === undefined) return taskQueue;
  if (config !== undefined) await checkQueueOf(context, `Session ${name}`, place.taskQueue, config);
  return place.taskQueue;
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
  const status = await client
    .get(before)
    .describe()
    .then((run) => run.status)
    .catch(() => undefined); // not started yet, or gone
  const waits =
    status === 'waiting' ? ', which waits for a person' : status === 'paused' ? ', which is paused' : '';
  const look = waits === '' ? 'watch' : 'show';
  say(
    io,
    `Waiting for its turn in session ${name}: before it comes ${before}${waits}${others} (\`${typedCommand(look, [before])}\`).`,
  );
}
