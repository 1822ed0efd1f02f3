import type { Client } from '@temporalio/client';
import { callPath, workflowOfCall } from '../../agent/calls/call-path.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import type { RunView } from '../../agent/views/view.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { type ReadableRun, readableRun } from '../read/run-location.ts';
import type { RunReport } from '../report.ts';
import { foldRun } from '../restart/fold-run.ts';
import { createWaitingTeller } from './on-waiting.ts';

export interface EndOptions {
  onWaiting?: ((waiting: WaitingCall) => unknown) | undefined;
  signal?: AbortSignal | undefined;
}

/** Reads the report of a run that has ended. With `onWaiting`, follows the run to its end. Throws the reason of the signal. */
export async function endOfRun(
  client: Client,
  { present, ...run }: ReadableRun,
  { onWaiting, signal: given }: EndOptions,
): Promise<RunReport> {
  if (onWaiting === undefined) return foldRun(client, run, { follow: false });
  const isWaiting = (waiting: WaitingCall) => stillWaits(client, run.workflowId, waiting);
  const { next, signal } = createWaitingTeller(onWaiting, isWaiting, given);
  try {
    const onEvent = (_event: RunEvent, view: RunView) => next(view);
    return await foldRun(client, run, { present, follow: true, onEvent, signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Asks the run of the call itself: a parent may receive its sub-agent's waits late. */
async function stillWaits(client: Client, id: string, { call, n }: WaitingCall): Promise<boolean> {
  const run = await readableRun(client, workflowOfCall(id, call));
  const { waiting } = await foldRun(client, run, { follow: false });
  return waiting.some((one) => one.call === callPath(call).at(-1) && one.n === n);
}
