import type { RunEvent } from '../../agent/run/events.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import type { AgentRun, ResultOptions } from '../../client/api/agent-run.ts';
import type { RunResultWithSteps } from '../../client/report.ts';
import { AgentRunCancelled, AgentRunFailed } from '../../client/connect/errors.ts';
import { livePollers } from '../../client/connect/task-queue.ts';
import { otherQuestion } from '../../client/start/other-question.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { type EmbeddedOptions, type OpenProgram, openProgram } from './open-program.ts';
import { type ProgramConfig, checkAgent, isSame, readConfig } from './program-config.ts';

export interface RunHereOptions extends StartOptions, ResultOptions, EmbeddedOptions {
  /**
   * Called for each event of the run, from its beginning, as it happens. An error thrown here ends `runAgentHere`, and
   * the run waits until it is asked for again.
   */
  onEvent?: ((event: RunEvent) => unknown) | undefined;
}

/** Runs an agent and waits for the answer; see `runAgentHere`. */
export async function runInProcess(
  definition: ConfigDefinition | undefined,
  agent: string,
  input: string,
  { stateDir, concurrency, onLog, onEvent, onWaiting, ...options }: RunHereOptions,
): Promise<RunResultWithSteps> {
  const config = await readConfig(definition, 'runAgentHere');
  checkAgent(config, agent);
  // A line about waits is printed only without an `onWaiting` function.
  const log = onLog ?? (onWaiting === undefined ? undefined : () => undefined);
  const { taskQueue } = options;
  const { program, giveBack } = await borrow(config, { stateDir, taskQueue, concurrency, onLog: log });
  const answer = async () => {
    const run = await program.client.start(agent, input, options);
    if (options.id !== undefined) await checkSame(program, run, agent, input);
    return follow(run, { onEvent, onWaiting });
  };
  try {
    return await Promise.race([answer(), program.failed]);
  } finally {
    giveBack();
  }
}

/** Throws InvalidInput if the id has another question, or its run is on a queue without a worker. */
async function checkSame(
  { client }: OpenProgram,
  run: AgentRun,
  agent: string,
  input: string,
): Promise<void> {
  const other = await otherQuestion(run, { agent, input });
  if (other !== undefined) {
    throw new InvalidInput(
      `There is a run "${run.id}" already, and it is another: it asked agent "${other.agent}" "${other.question.slice(0, 100)}". Give this one another id.`,
    );
  }
  const { open, taskQueue } = await locationOfRun(client.temporal, run.id);
  if (!open || taskQueue === client.taskQueue) return;
  if ((await livePollers(client.temporal, taskQueue)).length > 0) return;
  throw new InvalidInput(
    `Run "${run.id}" was started on task queue ${taskQueue}, where no worker is, and this program works on ${client.taskQueue}. With the option taskQueue: '${taskQueue}' it works there, if its config has the agent.`,
  );
}

type Listeners = ResultOptions & Pick<RunHereOptions, 'onEvent'>;

/** The run's end, after all its events. */
async function follow(run: AgentRun, { onEvent, onWaiting }: Listeners): Promise<RunResultWithSteps> {
  const left = new AbortController();
  const emitted = onEvent === undefined ? Promise.resolve() : emitEvents(run, onEvent, left.signal);
  const ended = run.result({ onWaiting });
  try {
    const [result] = await Promise.all([ended, emitted]);
    return result;
  } catch (error) {
    if (error instanceof AgentRunFailed || error instanceof AgentRunCancelled) await emitted;
    throw error;
  } finally {
    left.abort();
    await Promise.allSettled([emitted]);
  }
}

async function emitEvents(run: AgentRun, onEvent: (event: RunEvent) => unknown, signal: AbortSignal) {
  for await (const event of run.events({ signal })) await onEvent(event);
}

interface Shared {
  config: ProgramConfig;
  program: Promise<OpenProgram>;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

/** Programs by state folder and task queue: concurrent runs share a server and a worker, and the next run reuses them. */
const open = new Map<string, Shared>();

/** Longest pause between two runs of a program; the program's end waits for it. */
const IDLE_MS = 200;

/** Throws ConfigError, TemporalUnreachable. */
async function borrow(
  config: ProgramConfig,
  options: EmbeddedOptions,
): Promise<{ program: OpenProgram; giveBack(): void }> {
  const key = JSON.stringify([options.stateDir, options.taskQueue]);
  const found = open.get(key);
  if (found !== undefined && found.users === 0 && !isSame(found.config, config)) await end(key, found);
  const shared = sharedAt(key, config, options);
  clearTimeout(shared.idle);
  shared.users++;
  const giveBack = () => {
    shared.users--;
    if (shared.users === 0) shared.idle = setTimeout(() => void end(key, shared), IDLE_MS);
  };
  try {
    return { program: await shared.program, giveBack };
  } catch (error) {
    if (open.get(key) === shared) open.delete(key);
    throw error;
  }
}

/** Leaves another config that is at work alone: to open a second one fails with the reason. */
function sharedAt(key: string, config: ProgramConfig, options: EmbeddedOptions): Shared {
  const found = open.get(key);
  if (found !== undefined && isSame(found.config, config)) return found;
  const shared: Shared = { config, program: openProgram(config, options), users: 0, idle: undefined };
  if (found === undefined) open.set(key, shared);
  return shared;
}

async function end(key: string, shared: Shared): Promise<void> {
  clearTimeout(shared.idle);
  if (open.get(key) === shared) open.delete(key);
  await shared.program.then((program) => program.close()).catch(() => undefined); // its runs have been answered
}
