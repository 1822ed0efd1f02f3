import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentClient } from '../../client/index.ts';
import type { Killing, Signal } from './killings.ts';
import { type Task, timesBegun } from './task.ts';

/** Runs and people that the rows of a table use. */
export interface Bench {
  client: AgentClient;
  gateway: string;
  killings: { [signal in Signal]: Killing };
}

/** One row of the table: a cell for each duration in which it makes sense. */
export interface Row {
  name: string;
  /** Only for durations from here on. Default: 0. */
  least?: number;
  /** The worker of the row is killed so, when the longest of the calls has lasted its time. */
  kill?: Signal;
  /** Outcome that has to be seen. */
  expected(task: Task): string;
  /** Returns what was seen. */
  run(bench: Bench, task: Task): Promise<string>;
  task: Pick<Task, 'tool' | 'end'>;
}

export const questionOf = (task: Task) => JSON.stringify(task);

/** `completed: answer: did KEY; begun 1`, of a run that has ended. */
export async function endOf(run: { result(): Promise<{ output: unknown }> }, { key }: Task): Promise<string> {
  const told = await run.result().then(
    ({ output }) => `completed: ${String(output).trim()}`,
    (error: Error & { type?: string }) => `${error.name} ${error.type ?? ''}`.trim(),
  );
  return `${told}; begun ${timesBegun(key)}`;
}

/** Waits until the call has begun, and then for a part of its time. */
export async function during({ key, seconds }: Task): Promise<void> {
  while (timesBegun(key) === 0) await sleep(100);
  await sleep(seconds * 500);
}
