import type { Client } from '@temporalio/client';
import { createActionCount } from '../history/views/billed-actions.ts';
import { readLineage } from '../history/read/lineage.ts';

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
export async function readSteps(
  client: Client,
  workflowId: string,
  modelActivity: string,
): Promise<RecordedSteps> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const runId = raw.workflowExecutionInfo?.firstRunId ?? '';
  const read: RecordedSteps = { begins: [], events: 0, bytes: 0, actions: 0 };
  const actions = createActionCount();
  for await (const fact of readLineage(client, { workflowId, runId }, false)) {
    await actions.next(fact);
    if (fact.type === 'scheduled' && fact.name === modelActivity) read.begins.push(fact.at);
    if (fact.type !== 'started') continue;
    const { historyLength, historySize } = await client.workflow.getHandle(workflowId, fact.runId).describe();
    read.events += historyLength;
    read.bytes += historySize ?? 0;
  }
  return { ...read, actions: actions.sum() };
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
