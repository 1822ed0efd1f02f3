import { prepareWorker } from '../../worker/run-worker.ts';
import { contentText } from '../../agent/content.ts';
import type { StartOptions } from '../../client/start-options.ts';
import type { AgentClient } from '../../client/agent-client.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { temporalSettings } from '../../client/connect.ts';
import { RunNotFound } from '../../client/errors.ts';
import { readInput } from '../../client/read-input.ts';
import { placeOfRun } from '../../client/place.ts';
import { pollers } from '../../client/task-queue.ts';
import {
  type Asked,
  type SessionQuestion,
  askInSession,
  checkTakesHistory,
  leaveInSession,
} from '../ask-in-session.ts';
import { checkTakesImages, withImages } from '../image-option.ts';
import { checkAgent, checkModel, checkOverrides, checkVariables, configFor } from '../check-agent.ts';
import { fit, oneLine, shellWord } from '../print/display.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import { type Io, print, printJson, readAll, say } from '../io.ts';
import { type CommonOptions, type Limit, flagsToRepeat, limitOf } from '../options.ts';
import { queuesOf } from '../command-config.ts';
import { type CliContext, namedQueue, needsWorker } from '../context.ts';
import { serving } from '../task-queue.ts';
import { runPage, sayPage, withPage } from '../web-ui.ts';
import { serve, untilItsCodeIsSaved, withTemporal } from '../with-run.ts';
import { reloop } from '../../client/typed-command.ts';

export interface RunOptions extends CommonOptions {
  id?: string;
  /** Files and URLs. */
  image?: string[];
  session?: string;
  model?: string;
  maxIterations?: Limit;
  /** Milliseconds. */
  maxTime?: number;
  budgetTokens?: Limit;
  /** US dollars. */
  budgetCost?: Limit;
  /** Values for the agent's own {names}, as `name=value`. */
  var?: { [name: string]: string };
  detach?: boolean;
  wait: boolean;
  verbose?: boolean;
}

/** `reloop run`: starts a run and follows it to its answer. */
export async function run(io: Io, agent: string, question: string, options: RunOptions): Promise<number> {
  const { detach = false, verbose = false } = options;
  const input = await withImages(await questionOf(io, question), options.image);
  const named = temporalSettings(options).address !== undefined;
  const config = await configFor(options, named);
  const loaded = config?.loaded;
  if (loaded !== undefined) {
    checkAgent(loaded, agent);
    if (typeof input !== 'string') checkTakesImages(loaded, agent);
    if (options.session !== undefined) checkTakesHistory(loaded, agent);
    if (options.var !== undefined) checkVariables(loaded, agent, options.var);
    checkOverrides(loaded, agent, startOptions(options));
    if (!named && !(await isServerUp())) checkModel(loaded, agent, options.model);
  }

  if (!named && !detach) prepareWorker();
  const printed = options.json === true ? 'report' : 'answer';
  let isOpen = false;
  return withTemporal(io, options, async (context) => {
    isOpen = true;
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    // Else the model is asked by somebody else, who has the key.
    if (loaded !== undefined && !(named && detach) && (await nobodyWorks(context, taskQueue))) {
      checkModel(loaded, agent, options.model);
    }
    if (!detach) await untilItsCodeIsSaved(context);
    const asked = await ask(io, context, { agent, input, config, taskQueue }, options);
    const { run: started, ours, left } = asked;
    if (left !== undefined) return left === 'SIGTERM' ? exitCodes.terminated : exitCodes.cancelled;
    sayPage(io, context, started.id);
    if (detach) {
      if (options.session === undefined) await sayAlone(io, context, started);
      return printId(io, context, started, options);
    }
    const serves =
      ours ||
      (config !== undefined &&
        (await serve(context, await placeOfRun(context.client.temporal, started.id), options)));
    const followed = await follow(io, context, started, {
      untilWaiting: !options.wait,
      onInterrupt: 'cancel',
      flags: flagsToRepeat(options),
      ...(verbose ? { verbose: { kinds: loaded?.kinds.values() } } : {}),
    });
    return finish(io, withPage(context, started), followed, printed, serves);
  }).catch((error: unknown) => {
    // Where no server is, nobody works either, and the key is missing before anything else.
    if (!isOpen && loaded !== undefined && !detach) checkModel(loaded, agent, options.model);
    throw error;
  });
}

/** This project's; one that is not up has no worker either. */
async function isServerUp(): Promise<boolean> {
  const { runningServer, stateDirectory } = await import('../../server/server.ts');
  return (await runningServer(stateDirectory())) !== undefined;
}

async function nobodyWorks(context: CliContext, taskQueue: string): Promise<boolean> {
  if (context.embedded !== undefined) return needsWorker(context, taskQueue);
  return (await pollers(context.client.temporal, taskQueue)).length === 0;
}

async function questionOf(io: Io, question: string): Promise<string> {
  const input = question === '-' ? (await readAll(io)).trim() : question;
  if (input.trim() === '') throw new UsageError(`There is no question: ${reloop()} run AGENT "question"`);
  return input;
}

/** Starts the run, or finds it. In a session it may have to wait for its turn. */
async function ask(
  io: Io,
  context: CliContext,
  question: Pick<SessionQuestion, 'agent' | 'input' | 'config' | 'taskQueue'>,
  { session: name, detach = false, ...options }: RunOptions,
): Promise<Asked> {
  const { client } = context;
  const { agent, input, taskQueue } = question;
  const { id } = options;
  const here = { ours: false, left: undefined };
  if (id !== undefined && (await exists(client, id))) {
    await checkSame(client.get(id), question);
    say(io, `There is a run "${id}" already: this is it.`);
    return { run: client.get(id), ...here };
  }
  const start = startOptions(options);
  if (name === undefined) return { run: await client.start(agent, input, { ...start, taskQueue }), ...here };
  const inSession = { name, ...question, options: start };
  return detach
    ? { run: await leaveInSession(io, context, inSession), ...here }
    : askInSession(io, context, inSession);
}

function startOptions(options: Omit<RunOptions, 'session' | 'detach'>): StartOptions {
  const { id, model, maxIterations, maxTime, budgetTokens, budgetCost, var: variables } = options;
  const isBudget = budgetTokens !== undefined || budgetCost !== undefined;
  const budget = isBudget ? { totalTokens: limitOf(budgetTokens), cost: limitOf(budgetCost) } : undefined;
  return {
    variables,
    id,
    model,
    maxIterations: limitOf(maxIterations),
    maxExecutionTime: maxTime,
    budget,
  };
}

/** An id stands for one question to one agent. Throws UsageError for another. */
async function checkSame(
  existing: Pick<AgentRun, 'id' | 'events'>,
  { agent, input }: Pick<SessionQuestion, 'agent' | 'input'>,
): Promise<void> {
  for await (const event of existing.events({ follow: false })) {
    if (event.type !== 'run_started') continue;
    const differs = [
      ...(event.agent === agent ? [] : [`its agent is ${event.agent}`]),
      ...(contentText(event.input) === contentText(readInput(input).input)
        ? []
        : [`its question is "${shortened(contentText(event.input))}"`]),
    ];
    if (differs.length === 0) return;
    throw new UsageError(
      `There is a run "${existing.id}" already, and it is another: ${differs.join(', and ')}. See it with \`${reloop()} show ${shellWord(existing.id)}\`, or give this one another --id.`,
    );
  }
}

function shortened(text: string): string {
  return fit(oneLine(text), 100);
}

async function exists({ temporal }: AgentClient, id: string): Promise<boolean> {
  try {
    await placeOfRun(temporal, id);
    return true;
  } catch (error) {
    if (error instanceof RunNotFound) return false;
    throw error;
  }
}

/** On a server of our own nobody may be there to work on a run that is left. */
async function sayAlone(io: Io, context: CliContext, started: AgentRun): Promise<void> {
  const { taskQueue, open } = await placeOfRun(context.client.temporal, started.id);
  if (!open || !(await needsWorker(context, taskQueue))) return;
  const { id } = started;
  say(
    io,
    `It is recorded, and begins with the next ${serving('dev', taskQueue)} or \`${reloop()} watch ${shellWord(id)}\`.`,
  );
}

function printId(io: Io, context: CliContext, { id }: AgentRun, { json = false }: RunOptions): number {
  if (json) printJson(io, { id, url: runPage(context, id) });
  else print(io, id);
  return exitCodes.answered;
}
