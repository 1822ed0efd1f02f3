import { contentText } from '../agent/content.ts';
import type { RunEvent } from '../agent/events.ts';
import { InvalidInput } from '../agent/invalid-input.ts';
import type { AgentRun, ResultOptions, RunResultWithSteps } from '../client/agent-run.ts';
import { AgentRunCancelled, AgentRunFailed } from '../client/errors.ts';
import { placeOfRun } from '../client/place.ts';
import type { ConfigDefinition } from '../config/define.ts';
import type { EmbeddedHere } from './embed.ts';
import { checkAgent, readConfig } from './program-config.ts';
import type { RunHereOptions } from './embedded.ts';
import { borrow } from './shared.ts';
import { isServed } from './workers-here.ts';

/** What `runAgentHere` does. */
export async function runHere(
  definition: ConfigDefinition | undefined,
  agent: string,
  input: string,
  { stateDir, onLog, onEvent, onWaiting, ...options }: RunHereOptions,
): Promise<RunResultWithSteps> {
  const config = await readConfig(definition, 'runAgentHere');
  checkAgent(config, agent);
  // Who is told of waits by a function needs no line about them.
  const log = onLog ?? (onWaiting === undefined ? undefined : () => undefined);
  const { taskQueue } = options;
  const { embedded, giveBack } = await borrow(config, { stateDir, taskQueue, onLog: log });
  const answer = async () => {
    const run = await embedded.client.start(agent, input, options);
    if (options.id !== undefined) await checkSame(embedded, run, agent, input);
    return follow(run, { onEvent, onWaiting });
  };
  try {
    return await Promise.race([answer(), embedded.failed]);
  } finally {
    giveBack();
  }
}

/** An id that is there already stands for one question, and for a queue. Throws InvalidInput. */
async function checkSame(
  { client }: EmbeddedHere,
  run: AgentRun,
  agent: string,
  input: string,
): Promise<void> {
  for await (const event of run.events({ follow: false, live: false })) {
    if (event.type !== 'run_started') continue;
    const asked = contentText(event.input);
    if (event.agent === agent && asked === input) break;
    throw new InvalidInput(
      `There is a run "${run.id}" already, and it is another: it asked agent "${event.agent}" "${asked.slice(0, 100)}". Give this one another id.`,
    );
  }
  const { open, taskQueue } = await placeOfRun(client.temporal, run.id);
  if (!open || taskQueue === client.taskQueue || (await isServed(client.temporal, taskQueue))) return;
  throw new InvalidInput(
    `Run "${run.id}" was begun on task queue ${taskQueue}, where no worker is, and this program works on ${client.taskQueue}. With the option taskQueue: '${taskQueue}' it works there, if its config has the agent.`,
  );
}

type Listeners = ResultOptions & Pick<RunHereOptions, 'onEvent'>;

/** The run's end; all its events have been told by then. */
async function follow(run: AgentRun, { onEvent, onWaiting }: Listeners): Promise<RunResultWithSteps> {
  const left = new AbortController();
  const told = onEvent === undefined ? Promise.resolve() : tell(run, onEvent, left.signal);
  const ended = run.result({ onWaiting });
  try {
    const [result] = await Promise.all([ended, told]);
    return result;
  } catch (error) {
    if (error instanceof AgentRunFailed || error instanceof AgentRunCancelled) await told;
    throw error;
  } finally {
    left.abort();
    await Promise.allSettled([told]);
  }
}

async function tell(run: AgentRun, onEvent: (event: RunEvent) => unknown, signal: AbortSignal) {
  for await (const event of run.events({ signal })) await onEvent(event);
}
