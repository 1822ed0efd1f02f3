import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { withoutSchedule } from '../../agent/calls/calls.ts';
import type { Restart } from '../../agent/calls/restart.ts';
import { readRestartRecord } from '../../history/views/restart-record.ts';
import type { RestartRecord } from '../../history/views/restart-point.ts';
import {
  AGENT_RUN,
  AGENT_SESSION,
  BACKTEST,
  BACKTEST_RUN,
  type RunOwnership,
  ownershipIn,
  runLabels,
} from '../../workflows/messages.ts';
import { DecisionRefused, InvalidInput } from '../connect/errors.ts';
import { senderOf } from '../connect/client-of-sender.ts';
import { describeRun } from '../read/run-location.ts';
import { attributesOfRun, startWithAttributes, tagsOf } from '../start/start-attributes.ts';
import { advised, cliName, typedCommand } from '../connect/cli-name.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** Receipt of a rewind, fork, or retry: the run that continues. */
export interface RestartReceipt {
  id: string;
  runId: string;
  /** The first step that is done again. */
  step: number;
}

/** A run to restart, with its state and its record. */
export interface RunToRestart {
  id: string;
  runId: string;
  /** Temporal's status name: `RUNNING`, `FAILED`. */
  status: string;
  taskQueue: string;
  ownership: RunOwnership;
  record: RestartRecord;
}

/** Reads the run that a command restarts. Throws RunNotFound, and InvalidInput for a workflow that is not an agent's run. */
export async function runToRestart(client: Client, id: string, verb: string): Promise<RunToRestart> {
  const { runId, type, status, taskQueue, memo } = await describeRun(client, id);
  if (type === AGENT_SESSION) {
    throw advised(
      new InvalidInput(`${verb}: "${id}" is a session, not a run.`),
      `\`${cliName()} session show\` lists its runs: take one of them.`,
    );
  }
  if (type === BACKTEST || type === BACKTEST_RUN) {
    throw new InvalidInput(
      `${verb}: "${id}" is part of a backtest: its calls are answered from a recording, so there is nothing to do again. Take the recorded run, or start another backtest.`,
    );
  }
  if (type !== AGENT_RUN) {
    throw new InvalidInput(
      `${verb}: "${id}" is your own workflow (${type}), not a run of an agent: there are no steps to go back to.`,
    );
  }
  const record = await readRestartRecord(client, { workflowId: id, runId });
  return { id, runId, status: status.name, taskQueue, ownership: ownershipIn(memo), record };
}

/**
 * Starts a closed run again, under its id. Needs no worker. Throws DecisionRefused if another person was first, or if the run is a
 * sub-agent's: its parent has read the end already.
 */
export async function restartRun(
  client: Client,
  run: RunToRestart,
  input: AgentRunInput & { restart: Restart },
): Promise<RestartReceipt> {
  const { id, runId, record } = run;
  const { by } = input.restart;
  const { caller } = record.input;
  if (caller !== undefined) {
    const parent = id.slice(0, -`/${caller}`.length);
    const call = typedCommand('retry', [parent, withoutSchedule(caller)]);
    throw advised(
      new DecisionRefused(`${by}: run ${id} is a sub-agent's, and is over: its parent has its end.`),
      `Have the parent make the call again: ${call}`,
    );
  }
  const wasFirst = new DecisionRefused(
    `${by}: another command was first: run ${id} has started again already. Look at it, and repeat your command if you still want it.`,
  );
  if ((await describeRun(client, id)).runId !== runId) throw wasFirst;
  return start(client, id, run, input, { reuse: 'ALLOW_DUPLICATE', exists: wasFirst });
}

/** Starts a fork under a new id. It belongs to the person who forks. Throws InvalidInput if the id is taken. */
export function startFork(
  client: Client,
  id: string,
  run: RunToRestart,
  input: AgentRunInput & { restart: Restart },
): Promise<RestartReceipt> {
  const exists = new InvalidInput(`fork: there is a run "${id}" already. Give the fork another id.`);
  const own = { ...run, ownership: { owner: senderOf(client) } };
  return start(client, id, own, input, { reuse: 'REJECT_DUPLICATE', exists });
}

/** Starts the workflow. Throws `exists` if the server has a run with that id. */
async function start(
  client: Client,
  id: string,
  { taskQueue, record, ownership }: RunToRestart,
  input: AgentRunInput & { restart: Restart },
  { reuse, exists }: { reuse: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE'; exists: Error },
): Promise<RestartReceipt> {
  const restart: Restart = { ...input.restart, sender: senderOf(client) };
  try {
    const { firstExecutionRunId } = await startWithAttributes(client, attributesOfRun(input), (attributes) =>
      client.workflow.start(AGENT_RUN, {
        workflowId: id,
        taskQueue,
        args: [{ ...input, restart }],
        workflowIdReusePolicy: reuse,
        workflowIdConflictPolicy: 'FAIL',
        ...runLabels(
          input.agent,
          record.input.question?.input ?? '',
          {
            tags: tagsOf(input),
            tenant: input.overrides?.tenant ?? input.manifest?.tenant,
            priority: input.overrides?.priority ?? input.manifest?.priority,
          },
          ownership,
        ),
        ...attributes,
      }),
    );
    return { id, runId: firstExecutionRunId, step: input.restart.step };
  } catch (error) {
    throw error instanceof WorkflowExecutionAlreadyStartedError ? exists : error;
  }
}
