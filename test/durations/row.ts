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
  /** The worker of the row is killed so, when the longest of the calls has lasted its time. */
  kill?: Signal;
  /** Outcome that has to be seen. */
  expected(task: Task): string;
  /** Returns what was seen. */
  run(bench: Bench, task: Task): Promise<string>;
  task: Pick<Task, 'tool' | 'end'>;
}

/** Starts a run that has the id of the task's key, by which `main.ts` finds it. */
export const start = (client: AgentClient, agent: string, task: Task) =>
  client.start(agent, questionOf(task), { id: task.key });

export const questionOf = (task: Task) => JSON.stringify(task);

/** An attempt whose time is over may end before it begins, where the machine is busy. */
export const beganOnce = (seen: string) => seen.replace(/begun [01]$/u, 'begun at most once');

interface EndingRun {
  result(): Promise<{ output: unknown }>;
}

/** `completed: answer: did KEY; begun 1`, of a run that has ended. */
export async function endOf(run: EndingRun, { key }: Task): Promise<string> {
  const told = await run.result().then(
    ({ output }) => `completed: ${String(output).trim()}`,
    (error: Error & { type?: string }) => `${error.name} ${error.type ?? ''}`.trim(),
  );
  return `${told}; begun ${timesBegun(key)}`;
}

/** Waits until the call has begun, and then for a part of its time. Throws if the run ends before. */
export async function during(run: EndingRun, task: Task): Promise<void> {
  let end: string | undefined;
  void endOf(run, task).then((seen) => (end = seen));
  while (timesBegun(task.key) === 0) {
    if (end !== undefined) throw new Error(`the run ended first: ${end}`);
    await sleep(100);
  }
  await sleep(task.seconds * 500);
}
