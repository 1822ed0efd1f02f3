import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type WorkflowHandle,
  WorkflowUpdateFailedError,
  type WorkflowUpdateHandle,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { limits } from '../../agent/values/limits.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { plainJson } from '../../agent/values/values.ts';
import { abortable, isNoWorkflow } from '../../history/read/pages.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import { recordedReceipt } from '../../history/views/update-receipts.ts';
import { ALREADY_TAKEN } from '../../workflows/messages.ts';
import { amongFew } from './a-few-updates.ts';
import { DecisionRefused, InvalidInput, RunNotTaking } from './errors.ts';
import { isDroppedWithTask, isNotReady } from './open-calls.ts';
import { patienceOf, withSender } from './client-of-sender.ts';

/** Sends an update and waits for its outcome, within the patience of the client. Throws RunNotTaking. */
export async function patiently<R>(client: Client, send: (signal?: AbortSignal) => Promise<R>): Promise<R> {
  const ms = patienceOf(client);
  if (ms === undefined) return abortable(client, undefined, send);
  return withTimeLimit(ms, undefined, async (signal) => {
    try {
      return await abortable(client, signal, () => send(signal));
    } catch (error) {
      const isRefusal = error instanceof WorkflowUpdateFailedError;
      throw signal.aborted && !isRefusal ? new RunNotTaking(ms, { cause: error }) : error;
    }
  });
}

/** Sends an update and resolves when the run has taken it, which is recorded. Throws DecisionRefused, InvalidInput. */
export async function updateRun<R>(
  client: Client,
  run: WorkflowHandle,
  name: string,
  data: unknown,
): Promise<R> {
  const args: [unknown] = [sendable(name, withSender(client, name, data))];
  const updateId = randomUUID();
  try {
    const send = () => run.executeUpdate<R, [unknown]>(name, { args, updateId });
    return await patiently(client, (signal) =>
      amongFew(client.connection, run.workflowId, signal, () => outcomeOf(run, send, updateId)),
    );
  } catch (error) {
    if (isNoWorkflow(error)) {
      const receipt = await recordedReceipt(client, run.workflowId, updateId);
      if (receipt !== undefined) return receipt as R; // written by the run
    }
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    const { cause } = error;
    // The answer to the first request was lost.
    if (cause instanceof ApplicationFailure && cause.type === ALREADY_TAKEN) return cause.details?.[0] as R; // written by the run
    throw new DecisionRefused(error.cause?.message ?? error.message, { cause: error });
  }
}

/** Temporal drops few tasks of one workflow in a row: each time, something else has to reach the workflow meanwhile. */
const DROPPED_TASK_TRIES = 10;

/**
 * Sends an update and resolves to its outcome. Temporal's client sends an update again until the workflow has taken it. Two refusals
 * of the server are not final. Once the workers have failed several times, it refuses also an update that it has admitted before, and
 * that the workflow may still take: then the outcome decides. And it drops an update together with the workflow task that brought
 * it, when something else arrives while that task ends the workflow or continues it as new: the update is sent again. Throws the
 * refusal of an update that the workflow cannot take any more. Sources: `ApplyRequest` in service/history/api/updateworkflow/api.go,
 * `TryResurrect` in service/history/workflow/update/registry.go and `AbortReasonWorkflowTaskFailed` beside it, of Temporal 1.29.1.
 */
export async function outcomeOf<R>(
  workflow: WorkflowHandle,
  send: (updateId: string) => Promise<R>,
  updateId: string = randomUUID(),
): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await send(updateId);
    } catch (refusal) {
      if (!isNotReady(refusal)) throw refusal;
      const taken = await outcomeIfTaken(workflow, workflow.getUpdateHandle<R>(updateId));
      if (taken !== undefined) return taken.outcome;
      if (!isDroppedWithTask(refusal) || tries === DROPPED_TASK_TRIES) throw refusal;
    }
  }
}

/** The outcome of an update that the workflow takes after all. */
async function outcomeIfTaken<R>(
  workflow: WorkflowHandle,
  update: WorkflowUpdateHandle<R>,
): Promise<{ outcome: R } | undefined> {
  const outcome = async () => ({ outcome: await update.result() });
  try {
    return await outcome().catch(async (error: unknown) => {
      if (!isNoWorkflow(error)) throw error;
      // A server that was restarted has forgotten the update, and a worker may still have a task with the update.
      await endOfTask(workflow);
      return outcome();
    });
  } catch (error) {
    if (isNoWorkflow(error)) return undefined;
    throw error;
  }
}

/** Temporal's state of a workflow task that a worker has. */
const STARTED = 2;
/** Temporal ends a workflow task that takes longer than 10 s. */
const TASK_POLL_MS = 200;

/** Resolves when the workflow task that a worker has now is over. */
async function endOfTask(workflow: WorkflowHandle): Promise<void> {
  const taken = async () => {
    const { state, startedTime, attempt } = (await workflow.describe()).raw.pendingWorkflowTask ?? {};
    return Number(state) === STARTED ? JSON.stringify([startedTime, attempt]) : undefined;
  };
  const task = await taken();
  if (task === undefined) return;
  while ((await taken()) === task) await sleep(TASK_POLL_MS);
}

/**
 * The data of an update as it is sent. Throws for data that the server would refuse without a reason; the run itself
 * checks the rest.
 */
function sendable(name: string, data: unknown): unknown {
  if (data === undefined) return undefined;
  const json = asJson(name, data);
  const bytes = jsonBytes(json);
  if (bytes <= limits.sentBytes) return json;
  throw new DecisionRefused(
    `${name}: what is sent has ${bytes} bytes, and a run takes ${limits.decisionBytes}. Shorten it.`,
  );
}

function asJson(name: string, data: unknown): unknown {
  try {
    return plainJson(data);
  } catch (error) {
    throw new InvalidInput(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
