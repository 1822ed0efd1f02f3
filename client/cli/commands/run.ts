import { prepareWorker } from '../../../worker/run-worker.ts';
import type { AgentClient } from '../../agent-client.ts';
import type { AgentRun } from '../../agent-run.ts';
import { temporalSettings } from '../../connect.ts';
import { RunNotFound } from '../../errors.ts';
import { checkAgent, checkModel, configFor } from '../config.ts';
import { shellWord } from '../display.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { finish } from '../finish.ts';
import { follow } from '../follow.ts';
import { type Io, print, printJson, readAll, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { needsWorker, openTemporal } from '../temporal.ts';

export interface RunOptions extends CommonOptions {
  id?: string;
  session?: string;
  model?: string;
  maxIterations?: number | null;
  /** Milliseconds. */
  maxTime?: number;
  detach?: boolean;
  wait: boolean;
  verbose?: boolean;
}

/** `reloop run`: starts a run and follows it to its answer. */
export async function run(io: Io, agent: string, question: string, options: RunOptions): Promise<number> {
  const { detach = false, verbose = false } = options;
  const input = await questionOf(io, question, options);
  const named = temporalSettings(options).address !== undefined;
  const catalog = await configFor(options, named);
  if (catalog !== undefined) {
    checkAgent(catalog, agent);
    if (!named || !detach) checkModel(catalog, agent, options.model);
  }

  if (!named && !detach) prepareWorker();
  const session = await openTemporal(io, { ...options, taskQueue: options.taskQueue ?? catalog?.taskQueue });
  try {
    const started = await start(io, session.client, agent, input, options);
    const { taskQueue, open } = await started.info();
    if (detach) {
      if (open && (await needsWorker(session, taskQueue))) sayAlone(io, started);
      return printId(io, started, options);
    }
    if (open && catalog !== undefined && (await needsWorker(session, taskQueue))) {
      await session.startWorker(catalog, 'run', taskQueue);
    }
    const followed = await follow(io, session, started, {
      untilWaiting: !options.wait,
      onInterrupt: 'cancel',
      flags: flagsToRepeat(options),
      ...(verbose ? { verbose: { kinds: catalog?.kinds.values() } } : {}),
    });
    return await finish(io, started, followed, options.json === true ? 'report' : 'answer');
  } finally {
    await session.close();
  }
}

async function questionOf(io: Io, question: string, { session }: RunOptions): Promise<string> {
  if (session !== undefined) {
    throw new UsageError('--session is not available yet: it comes with sessions. Run without it.');
  }
  const input = question === '-' ? (await readAll(io)).trim() : question;
  if (input.trim() === '') throw new UsageError('There is no question: reloop run AGENT "question"');
  return input;
}

async function start(
  io: Io,
  client: AgentClient,
  agent: string,
  input: string,
  { id, model, maxIterations, maxTime }: RunOptions,
): Promise<AgentRun> {
  if (id !== undefined && (await exists(client.get(id)))) {
    say(io, `There is a run "${id}" already: this is it.`);
    return client.get(id);
  }
  return client.start(agent, input, {
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxTime === undefined ? {} : { maxExecutionTime: maxTime }),
  });
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
function sayAlone(io: Io, { id }: AgentRun): void {
  say(io, `It is recorded, and begins with the next \`reloop dev\` or \`reloop watch ${shellWord(id)}\`.`);
}

function printId(io: Io, { id }: AgentRun, { json = false }: RunOptions): number {
  if (json) printJson(io, { id });
  else print(io, id);
  return exitCodes.answered;
}
