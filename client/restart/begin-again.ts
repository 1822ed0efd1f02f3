import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { withoutSchedule } from '../../agent/calls/calls.ts';
import type { Restart } from '../../agent/calls/restart.ts';
import { readStanding } from '../../history/views/standing.ts';
import type { Standing } from '../../history/views/restart-point.ts';
import {
  AGENT_RUN,
  AGENT_SESSION,
  type AgentRunInput,
  BACKTEST,
  BACKTEST_RUN,
  runLabels,
} from '../../workflows/messages.ts';
import { DecisionRefused, InvalidInput } from '../connect/errors.ts';
import { describeRun } from '../read/run-location.ts';
import { attributesOfRun, startWithAttributes } from '../start/start-attributes.ts';
import { cliName, typedCommand } from '../connect/cli-name.ts';

/** What a rewind, a fork or a retry has started. */
export interface RestartReceipt {
  id: string;
  runId: string;
  /** The first step that is done anew. */
  step: number;
}

/** A run that is to be taken up again, as it stands now. */
export interface RunToRestart {
  id: string;
  runId: string;
  /** Temporal's name for how it is: `RUNNING`, `FAILED`. */
  status: string;
  taskQueue: string;
  standing: Standing;
}

/** Throws RunNotFound, and InvalidInput for what is no run of an agent. */
export async function runToRestart(client: Client, id: string, verb: string): Promise<RunToRestart> {
  const { runId, type, status, taskQueue } = await describeRun(client, id);
  if (type === AGENT_SESSION) {
    throw new InvalidInput(
      `${verb}: "${id}" is a session, no run. \`${cliName()} session show\` names its runs: take one of them.`,
    );
  }
  if (type === BACKTEST || type === BACKTEST_RUN) {
    throw new InvalidInput(
      `${verb}: "${id}" is of a backtest: its calls are answered from a recording, so there is nothing to do again. Take the recorded run, or begin another backtest.`,
    );
  }
  if (type !== AGENT_RUN) {
    throw new InvalidInput(
      `${verb}: "${id}" is a workflow of your own (${type}), no run of an agent: there are no steps to go back to.`,
    );
  }
  const standing = await readStanding(client, { workflowId: id, runId });
  return { id, runId, status: status.name, taskQueue, standing };
}

/**
 * Begins a run that is over again, under its id. Needs no worker. Throws DecisionRefused where somebody else was first, or where
 * the run's parent has gone on from its end.
 */
export async function beginAgain(
  client: Client,
  run: RunToRestart,
  input: AgentRunInput & { restart: Restart },
): Promise<RestartReceipt> {
  const { id, runId, standing } = run;
  const { by } = input.restart;
  const { caller } = standing.input;
  if (caller !== undefined) {
    const parent = id.slice(0, -`/${caller}`.length);
    const call = typedCommand('retry', [parent, withoutSchedule(caller)]);
    throw new DecisionRefused(
      `${by}: run ${id} is a sub-agent's, and is over: its parent has its end. Have the parent make the call again: ${call}`,
    );
  }
  const wasFirst = new DecisionRefused(
    `${by}: somebody else was first: run ${id} goes on already. Look at it, and say again what you want.`,
  );
  if ((await describeRun(client, id)).runId !== runId) throw wasFirst;
  return start(client, id, run, input, { reuse: 'ALLOW_DUPLICATE', exists: wasFirst });
}

/** Starts a run with an id of its own. Throws InvalidInput for an id that is taken. */
export function startFork(
  client: Client,
  id: string,
  run: RunToRestart,
  input: AgentRunInput & { restart: Restart },
): Promise<RestartReceipt> {
  const exists = new InvalidInput(`fork: there is a run "${id}" already. Give the fork another id.`);
  return start(client, id, run, input, { reuse: 'REJECT_DUPLICATE', exists });
}

/** `exists`: thrown where the server has a run of the id. */
async function start(
  client: Client,
  id: string,
  { taskQueue, standing }: RunToRestart,
  input: AgentRunInput & { restart: Restart },
  { reuse, exists }: { reuse: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE'; exists: Error },
): Promise<RestartReceipt> {
  try {
    const { firstExecutionRunId } = await startWithAttributes(client, attributesOfRun(input), (attributes) =>
      client.workflow.start(AGENT_RUN, {
        workflowId: id,
        taskQueue,
        args: [input],
        workflowIdReusePolicy: reuse,
        workflowIdConflictPolicy: 'FAIL',
        ...runLabels(input.agent, standing.input.question?.input ?? ''),
        ...attributes,
      }),
    );
    return { id, runId: firstExecutionRunId, step: input.restart.step };
  } catch (error) {
    throw error instanceof WorkflowExecutionAlreadyStartedError ? exists : error;
  }
}
