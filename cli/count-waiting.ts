import { searchAttribute } from '../agent/names.ts';
import { count } from './print/display.ts';
import type { CliContext } from './context.ts';

/** Runs in which a call waits for a person; 0 where the server cannot search for them. */
export async function countWaiting({ client }: Pick<CliContext, 'client'>): Promise<number> {
  const query = `${searchAttribute.status}="waiting" AND ExecutionStatus="Running"`;
  try {
    return (await client.temporal.workflow.count(query)).count;
  } catch {
    return 0;
  }
}

/** `3 runs wait for you`. */
export function waitingRuns(amount: number): string {
  return `${count(amount, 'run')} ${amount === 1 ? 'waits' : 'wait'} for you`;
}
