import { prepareWorker } from '../../worker/run-worker.ts';
import type { StartOptions } from '../../client/agent-client.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { temporalSettings } from '../../client/connect.ts';
import { RunNotFound } from '../../client/errors.ts';
import {
  type Asked,
  type SessionQuestion,
  askInSession,
  checkTakesHistory,
  leaveInSession,
} from '../ask-in-session.ts';
import { checkAgent, checkModel, checkVariables, configFor } from '../check-agent.ts';
import { shellWord } from '../print/display.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import { type Io, print, printJson, readAll, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { type TemporalSession, needsWorker, openTemporal } from '../context.ts';

export interface RunOptions extends CommonOptions {
  id?: string;
  session?: string;
  model?: string;
  maxIterations?: number | null;
  /** Milliseconds. */
  maxTime?: number;
  /** Values for the agent's own {names}, as `name=value`. */
  var?: { [name: string]: string };
  detach?: boolean;
  wait: boolean;
  verbose?: boolean;
}

/** `reloop run`: starts a run and follows it to its answer. */
export async function run(io: Io, agent: string, question: string, options: RunOptions): Promise<number> {
  const { detach = false, verbose = false } = options;
  const input = await questionOf(io, question);
  const named = temporalSettings(options).address !== undefined;
  const catalog = await configFor(options, named);
  if (catalog !== undefined) {
    checkAgent(catalog, agent);
    if (options.session !== undefined) checkTakesHistory(catalog, agent);
    if (options.var !== undefined) checkVariables(catalog, agent, options.var);
    if (!named || !detach) checkModel(catalog, agent, options.model);
  }

  if (!named && !detach) prepareWorker();
  const printed = options.json === true ? 'report' : 'answer';
  const session = await openTemporal(io, { ...options, taskQueue: options.taskQueue ?? catalog?.taskQueue });
  try {
    const { run: started, ours, left } = await ask(io, session, { agent, input, catalog }, options);
    if (left !== undefined) return left === 'SIGTERM' ? exitCodes.terminated : exitCodes.cancelled;
    if (detach) {
      if (options.session === undefined) await sayAlone(io, session, started);
      return printId(io, started, options);
    }
    const { taskQueue, open } = await started.info();
    if (open && !ours && catalog !== undefined && (await needsWorker(session, taskQueue))) {
      await session.startWorker(catalog, 'run', taskQueue);
    }
    const followed = await follow(io, session, started, {
      untilWaiting: !options.wait,
      onInterrupt: 'cancel',
      flags: flagsToRepeat(options),
      ...(verbose ? { verbose: { kinds: catalog?.kinds.values() } } : {}),
    });
    return await finish(io, started, followed, printed);
  } finally {
    await session.close();
  }
}

async function questionOf(io: Io, question: string): Promise<string> {
  const input = question === '-' ? (await readAll(io)).trim() : question;
  if (input.trim() === '') throw new UsageError('There is no question: reloop run AGENT "question"');
  return input;
}

/** Starts the run, or finds it. In a session it may have to wait for its turn. */
async function ask(
  io: Io,
  session: TemporalSession,
  question: Pick<SessionQuestion, 'agent' | 'input' | 'catalog'>,
  { session: name, detach = false, ...options }: RunOptions,
): Promise<Asked> {
  const { client } = session;
  const { agent, input } = question;
  const { id } = options;
  const here = { ours: false, left: undefined };
  if (id !== undefined && (await exists(client.get(id)))) {
    say(io, `There is a run "${id}" already: this is it.`);
    return { run: client.get(id), ...here };
  }
  const start = startOptions(options);
  if (name === undefined) return { run: await client.start(agent, input, start), ...here };
  const inSession = { name, ...question, options: start };
  return detach
    ? { run: await leaveInSession(io, session, inSession), ...here }
    : askInSession(io, session, inSession);
}

function startOptions(options: Omit<RunOptions, 'session' | 'detach'>): StartOptions {
  const { id, model, maxIterations, maxTime, var: variables } = options;
  return {
    ...(variables === undefined ? {} : { variables }),
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxTime === undefined ? {} : { maxExecutionTime: maxTime }),
  };
}

async function exists(wanted: AgentRun): Promise<boolean> {
  try {
    await wanted.info();
    return true;
  } catch (error) {
    if (error instanceof RunNotFound) return false;
    throw error;
  }
}

/** On a server of our own nobody may be there to work on a run that is left. */
async function sayAlone(io: Io, session: TemporalSession, started: AgentRun): Promise<void> {
  const { taskQueue, open } = await started.info();
  if (!open || !(await needsWorker(session, taskQueue))) return;
  const { id } = started;
  say(io, `It is recorded, and begins with the next \`reloop dev\` or \`reloop watch ${shellWord(id)}\`.`);
}

function printId(io: Io, { id }: AgentRun, { json = false }: RunOptions): number {
  if (json) printJson(io, { id });
  else print(io, id);
  return exitCodes.answered;
}
