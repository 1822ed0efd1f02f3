import type { Client, WorkflowHandle } from '@temporalio/client';
import type { temporal as proto } from '@temporalio/proto';
import { createActionCount } from '../history/billed-actions.ts';
import { readLineage } from '../history/lineage.ts';

type HistoryEvent = proto.api.history.v1.IHistoryEvent;

/** A run as its history has it. */
export interface RecordedSteps {
  /** When each step's model call was scheduled, in ms, and behind them that of the answer. */
  begins: number[];
  events: number;
  bytes: number;
  /** That Temporal Cloud would bill. */
  actions: number;
}

/** Over every continue-as-new. */
export async function readSteps(client: Client, id: string, modelActivity: string): Promise<RecordedSteps> {
  const read: RecordedSteps = { begins: [], events: 0, bytes: 0, actions: 0 };
  const firstRunId =
    (await client.workflow.getHandle(id).describe()).raw.workflowExecutionInfo?.firstRunId ?? '';
  const actions = createActionCount();
  for await (const fact of readLineage(client, { workflowId: id, runId: firstRunId }, false))
    await actions.next(fact);
  read.actions = actions.sum();
  let runId: string | undefined = firstRunId;
  while (runId !== undefined) {
    const handle: WorkflowHandle = client.workflow.getHandle(id, runId);
    const [{ events = [] }, { historyLength, historySize }] = await Promise.all([
      handle.fetchHistory(),
      handle.describe(),
    ]);
    read.begins.push(...(events ?? []).flatMap((event) => scheduledAt(event, modelActivity)));
    read.events += historyLength;
    read.bytes += historySize ?? 0;
    const next = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    runId = next ?? undefined;
  }
  return read;
}

/** The mean of all steps, of the first tenth, and of the last. */
export interface StepTimes {
  all: number;
  first: number;
  last: number;
}

/** Milliseconds a step, by the server's clock. */
export function stepTimes({ begins }: RecordedSteps): StepTimes {
  const steps = begins.length - 1;
  const tenth = Math.max(1, Math.floor(steps / 10));
  return {
    all: mean(begins, 0, steps),
    first: mean(begins, 0, tenth),
    last: mean(begins, steps - tenth, steps),
  };
}

/** Milliseconds a step, from one step to another. */
export function mean(begins: readonly number[], from: number, to: number): number {
  return (Number(begins[to]) - Number(begins[from])) / (to - from);
}

function scheduledAt(event: HistoryEvent, modelActivity: string): number[] {
  const { activityTaskScheduledEventAttributes: scheduled, eventTime } = event;
  if (scheduled?.activityType?.name !== modelActivity) return [];
  return [Number(eventTime?.seconds) * 1000 + Number(eventTime?.nanos) / 1e6];
}
