import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import {
  type InternalWorkflowStartOptions,
  InternalWorkflowStartOptionsSymbol,
} from '@temporalio/client/lib/internal.js';
import type { Restart } from '../agent/restart.ts';
import { readStart } from '../history/facts.ts';
import { asRunInput } from '../history/records.ts';
import { type Standing, readStanding } from '../history/standing.ts';
import {
  AGENT_RUN,
  AGENT_SESSION,
  type AgentRunInput,
  BACKTEST,
  BACKTEST_RUN,
  runLabels,
} from '../workflows/messages.ts';
import { DecisionRefused, InvalidInput } from './errors.ts';
import { describeRun } from './place.ts';
import { attributesOfRun, startWithAttributes } from './start-attributes.ts';
import { reloop } from './typed-command.ts';

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

type Options = InternalWorkflowStartOptions & WorkflowStartOptions;

/** Throws RunNotFound, and InvalidInput for what is no run of an agent. */
export async function runToRestart(client: Client, id: string, verb: string): Promise<RunToRestart> {
  const { runId, type, status, taskQueue } = await describeRun(client, id);
  if (type === AGENT_SESSION) {
    throw new InvalidInput(
      `${verb}: "${id}" is a session, no run. \`${reloop()} session show\` names its runs: take one of them.`,
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
 * Has a run of the same id take the place of `run`, whether that has ended or not; needs no worker. Of two who ask at a
 * time the server lets one: the request's id is that of the run to be replaced, so the second one starts nothing.
 */
export async function replaceRun(
  client: Client,
  { id, runId, taskQueue, standing }: RunToRestart,
  input: AgentRunInput & { restart: Restart },
): Promise<RestartReceipt> {
  const { by, step, request } = input.restart;
  const options: Options = {
    workflowId: id,
    taskQueue,
    args: [input],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    ...runLabels(input.agent, standing.input.question?.input ?? ''),
    [InternalWorkflowStartOptionsSymbol]: { requestId: `restart of ${runId}` },
  };
  const { firstExecutionRunId } = await startWithAttributes(client, attributesOfRun(input), (attributes) =>
    client.workflow.start(AGENT_RUN, { ...options, ...attributes }),
  );
  const start = await readStart(client, { workflowId: id, runId: firstExecutionRunId });
  const first = asRunInput(await start?.input())?.restart;
  if (first !== undefined && first.request !== request) {
    throw new DecisionRefused(
      `${by}: somebody else was first: run ${id} goes on from step ${first.step} by a ${first.by}. Look at it, and say again what you want.`,
    );
  }
  return { id, runId: firstExecutionRunId, step };
}

/** A run of an id of its own; the one it goes on from is left alone. */
export async function startFork(
  client: Client,
  id: string,
  { taskQueue, standing }: RunToRestart,
  input: AgentRunInput & { restart: Restart },
): Promise<RestartReceipt> {
  try {
    const { firstExecutionRunId } = await startWithAttributes(client, attributesOfRun(input), (attributes) =>
      client.workflow.start(AGENT_RUN, {
        workflowId: id,
        taskQueue,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        ...runLabels(input.agent, standing.input.question?.input ?? ''),
        ...attributes,
      }),
    );
    return { id, runId: firstExecutionRunId, step: input.restart.step };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw new InvalidInput(`fork: there is a run "${id}" already. Give the fork another id.`);
  }
}
