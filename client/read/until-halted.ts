import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import { searchAttribute } from '../../agent/values/names.ts';
import { haltedStatuses } from './run-filters.ts';
import { describeRun } from './run-location.ts';
import { waitsForPerson } from './run-status.ts';
import type { RunReport } from '../report.ts';

/** Times between the looks at a run; the last one is repeated. */
const LOOKS_MS = [1_000, 2_000, 5_000];

/**
 * Waits until a run makes no progress without a person: a call waits for one, or the run is paused. Returns the calls that wait. Looks at the
 * server's description of the run every few seconds, which is cheaper than to follow the run. Rejects when `signal` is aborted, and continues
 * until then where the run has ended. `atOnce`: do not wait before the first look.
 */
export async function untilHalted(
  client: Client,
  run: { id: string; describe(): Promise<RunReport> },
  signal: AbortSignal,
  { atOnce = false }: { atOnce?: boolean } = {},
): Promise<WaitingCall[]> {
  for (let look = 0; ; look++) {
    if (look > 0 || !atOnce)
      await sleep(LOOKS_MS[Math.min(look, LOOKS_MS.length - 1)], undefined, { signal });
    if (!mayBeHalted(await describeRun(client, run.id))) continue;
    const { status, waiting } = await run.describe();
    if (status !== 'running' && haltedStatuses.includes(status)) return waiting.filter(needsPerson);
  }
}

/** The run itself writes its waits, as a memo and, where the server knows it, as a search attribute. */
function mayBeHalted({ memo, typedSearchAttributes }: WorkflowExecutionDescription): boolean {
  const written = typedSearchAttributes.getAll().find(({ key }) => key.name === searchAttribute.status);
  return waitsForPerson(memo?.['waiting']) || haltedStatuses.some((status) => status === written?.value);
}
