import type { RunStep } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { boundedText } from '../../agent/values/values.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { ResultOptions } from '../../client/api/agent-run.ts';
import type { RunResultWithSteps } from '../../client/report.ts';
import { AgentRunFailed, RunNotFound, SessionNotFound } from '../../client/connect/errors.ts';
import { locationOfRun, locationOfSession } from '../../client/read/run-location.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import { RunWaits } from './run-waits.ts';

export interface TestRunOptions extends StartOptions, ResultOptions {}

/** Throws AgentRunFailed, AgentRunCancelled, RunWaits, InvalidInput. */
export async function runToEnd(
  client: AgentClient,
  agent: string,
  input: string,
  { onWaiting, ...options }: TestRunOptions,
): Promise<RunResultWithSteps> {
  await checkNames(client, options);
  const run = await client.start(agent, input, options);
  try {
    const refuse = (waiting: WaitingCall) => {
      throw new RunWaits(run, waiting);
    };
    return await run.result({ onWaiting: onWaiting ?? refuse });
  } catch (error) {
    throw error instanceof AgentRunFailed ? withSteps(error) : error;
  }
}

/** Ids and sessions are the server's, which other tests of this process use too: theirs would be read, or waited for in vain. */
async function checkNames(
  { temporal, taskQueue }: AgentClient,
  { id, session, taskQueue: asked = taskQueue }: StartOptions,
): Promise<void> {
  const places = await Promise.all([
    id === undefined ? undefined : locationOfRun(temporal, id).catch(ifFound),
    session === undefined ? undefined : locationOfSession(temporal, session).catch(ifFound),
  ]);
  const foreign = places.findIndex((place) => place !== undefined && place.taskQueue !== asked);
  if (foreign === -1) return;
  throw new InvalidInput(
    `Another testAgents() of this process has ${foreign === 0 ? `a run "${id}"` : `a session "${session}"`}: both are the server's, which tests share. Choose another name, or leave it out.`,
  );
}

function ifFound(error: unknown): undefined {
  if (error instanceof RunNotFound || error instanceof SessionNotFound) return undefined;
  throw error;
}

const SHOWN_CHARS = 200;

/** The same error, with the steps before it: a test's report shows little but the message. */
function withSteps({ report, stack }: AgentRunFailed): AgentRunFailed {
  const told = new AgentRunFailed(report);
  const steps = report.intermediateSteps.map(stepLine).join('');
  told.message = `Agent "${report.agent}" (run ${report.id}) failed: ${told.message}${steps === '' ? '' : `\nIts steps:${steps}`}`;
  if (stack !== undefined) told.stack = stack.replace(/^.*?(?=\n {4}at )/su, `${told.name}: ${told.message}`);
  return told;
}

function stepLine({ call, action, observation }: RunStep): string {
  const shown = (value: RunStep['observation']) => boundedText(asText(value), SHOWN_CHARS);
  return `\n  ${call} ${action.tool}(${shown(action.toolInput)}) -> ${shown(observation)}`;
}
