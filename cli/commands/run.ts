import {
  type QueuedRun,
  type SessionQuestion,
  askInSession,
  leaveInSession,
  leftEarlyCodes,
} from '../connection/ask-in-session.ts';
import { checkModel, checkOverrides, checkQuestion, configFor } from '../connection/command-config.ts';
import { type CliContext, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf, serving } from '../connection/task-queue.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { needsWorker, nobodyWorks, serve, untilItsCodeIsSaved } from '../connection/command-worker.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { otherQuestion } from '../../client/start/other-question.ts';
import { locationOfRun, runExists } from '../../client/read/run-location.ts';
import { type MediaOptions, checkTakesMedia, withMedia } from '../options/media-options.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { fit } from '../shell/display.ts';
import { type Io, UsageError, exitCodes, print, printJson, readAll, say } from '../shell/io.ts';
import { followToEnd } from '../follow/finish.ts';
import { untilHeldUp } from '../follow/run-before.ts';
import { type OverrideOptions, overridesIn } from '../options/override-options.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { runPage, sayPage } from '../connection/web-ui.ts';
import { cliName, typedCommand } from '../../client/connect/cli-name.ts';

interface RunOptions extends CommonOptions, OverrideOptions, MediaOptions {
  id?: string;
  session?: string;
  /** Values for the agent's own {names}, as `name=value`. */
  var?: { [name: string]: string };
  detach?: boolean;
  wait: boolean;
  verbose?: boolean;
}

/** `reloop run`: starts a run and follows it to its answer. */
export async function run(io: Io, agent: string, question: string, options: RunOptions): Promise<number> {
  const { detach = false, verbose = false } = options;
  const input = await withMedia(await questionOf(io, question), options);
  const named = temporalSettings(options).address !== undefined;
  const config = await configFor(options, named);
  const loaded = config?.loaded;
  const isServed = named || (await isServerUp());
  if (loaded !== undefined) {
    checkQuestion(loaded, agent, options);
    if (typeof input !== 'string') checkTakesMedia(loaded, agent, input);
    checkOverrides(loaded, agent, startOptions(options));
    if (!isServed) checkModel(loaded, agent, options.model);
  }

  // Beside a server there is most often a worker. Without its modules `run` takes a sixth less processor time.
  if (!isServed && !detach) prepareWorker();
  const printed = options.json === true ? 'report' : 'answer';
  let isOpen = false;
  const opened = { ...options, loaded };
  return withTemporal(io, opened, async (context) => {
    isOpen = true;
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    // If another worker polls the queue, that worker needs the API key, not this process.
    if (loaded !== undefined && !(named && detach) && (await nobodyWorks(context, taskQueue))) {
      checkModel(loaded, agent, options.model);
    }
    if (!detach) await untilItsCodeIsSaved(context);
    const asked = await ask(io, context, { agent, input, config, taskQueue }, options);
    const { run: started, ours, left } = asked;
    if (left !== undefined) {
      if (left === 'waiting' && printed === 'report') printJson(io, { id: started.id });
      return leftEarlyCodes[left];
    }
    sayPage(io, context, started.id);
    if (detach) {
      if (options.session === undefined) await noteNoWorker(io, context, started);
      return printId(io, context, started, options);
    }
    const serves =
      ours ||
      (config !== undefined &&
        (await serve(context, await locationOfRun(context.client.temporal, started.id), options)));
    return followToEnd(io, { context, run: started, ours: serves }, options, {
      untilWaiting: !options.wait,
      onInterrupt: 'cancel',
      verbose: verbose ? { kinds: loaded && [...loaded.kinds.values()] } : undefined,
      printed,
    });
  }).catch((error: unknown) => {
    // No server means no worker either, so a missing key is reported first.
    if (!isOpen && loaded !== undefined && !detach) checkModel(loaded, agent, options.model);
    throw error;
  });
}

/** Checks this project's server; without a server there is no worker either. */
async function isServerUp(): Promise<boolean> {
  const { runningServer, stateDirectory } = await import('../../local/server/server.ts');
  return (await runningServer(stateDirectory())) !== undefined;
}

async function questionOf(io: Io, question: string): Promise<string> {
  const input = question === '-' ? (await readAll(io)).trim() : question;
  if (input.trim() === '') throw new UsageError(`There is no question: ${cliName()} run AGENT "question"`);
  return input;
}

/** Starts the run, or finds it. In a session it may have to wait for its turn. */
async function ask(
  io: Io,
  context: CliContext,
  question: Pick<SessionQuestion, 'agent' | 'input' | 'config' | 'taskQueue'>,
  { session: name, detach = false, ...options }: RunOptions,
): Promise<QueuedRun> {
  const { client } = context;
  const { agent, input, taskQueue } = question;
  const { id } = options;
  const here = { ours: false, left: undefined };
  if (id !== undefined && (await runExists(client.temporal, id))) {
    await checkSame(client.get(id), question);
    say(io, `There is a run "${id}" already: this is it.`);
    return { run: client.get(id), ...here };
  }
  const start = startOptions(options);
  if (name === undefined) return { run: await client.start(agent, input, { ...start, taskQueue }), ...here };
  const heldUp = options.wait ? undefined : untilHeldUp(context, flagsToRepeat(options));
  const inSession = { name, ...question, options: start, heldUp };
  return detach
    ? { run: await leaveInSession(io, context, inSession), ...here }
    : askInSession(io, context, inSession);
}

function startOptions(options: Omit<RunOptions, 'session' | 'detach'>): StartOptions {
  const { id, var: variables } = options;
  return { variables, id, ...overridesIn(options) };
}

/** Throws UsageError if the id has another question, or another agent. */
async function checkSame(existing: AgentRun, asked: Pick<SessionQuestion, 'agent' | 'input'>): Promise<void> {
  const other = await otherQuestion(existing, asked);
  if (other === undefined) return;
  const differs = [
    ...(other.differs.agent ? [`its agent is ${other.agent}`] : []),
    ...(other.differs.question ? [`its question is "${fit(oneLine(other.question), 100)}"`] : []),
  ];
  throw new UsageError(
    `There is a run "${existing.id}" already, and it is another: ${differs.join(', and ')}. See it with \`${typedCommand('show', [existing.id])}\`, or give this one another --id.`,
  );
}

/** Says that a detached run may be without a worker on the project's own server. */
async function noteNoWorker(io: Io, context: CliContext, started: AgentRun): Promise<void> {
  const { taskQueue, open } = await locationOfRun(context.client.temporal, started.id);
  if (!open || !(await needsWorker(context, taskQueue))) return;
  const { id } = started;
  say(
    io,
    `It is recorded, and starts with the next ${serving('dev', taskQueue)} or \`${typedCommand('watch', [id])}\`.`,
  );
}

function printId(io: Io, context: CliContext, { id }: AgentRun, { json = false }: RunOptions): number {
  if (json) printJson(io, { id, url: runPage(context, id) });
  else print(io, id);
  return exitCodes.answered;
}
