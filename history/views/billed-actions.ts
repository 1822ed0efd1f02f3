import type { Client } from '@temporalio/client';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Fact } from '../read/fact.ts';
import type { RunRef } from '../read/pages.ts';
import { decodeFirst } from '../read/payloads.ts';

/** Temporal bills two actions for a child workflow: the intent to start it, and the start. */
const CHILD_ACTIONS = 2;

/**
 * Counts actions as Temporal Cloud bills them (https://docs.temporal.io/cloud/actions) and as its Web UI counts a history (temporalio/ui,
 * get-event-billable-actions.ts), plus heartbeats, whose number the runner records for each call. Not counted, because histories do
 * not have them: queries, refused updates, and heartbeats of tools in other languages and of calls that were terminated with their run.
 *
 * The sum includes earlier runs of a continue-as-new chain. After a rewind, fork, or Reset the count starts at 1.
 */
export function createActionCount() {
  let [earlier, actions] = [0, 0];
  let markedTask: string | undefined;

  return {
    sum: (): number => earlier + actions,
    /** Takes the facts of a run, oldest first. */
    async next(fact: Fact): Promise<void> {
      switch (fact.type) {
        case 'started':
          earlier = fact.previousRunId === undefined ? 0 : earlier + actions;
          actions = 1;
          markedTask = undefined;
          return;
        case 'reset':
          actions = 1;
          return;
        case 'scheduled':
          if (fact.local !== true) actions += fact.of === 'child' ? CHILD_ACTIONS : 1;
          return;
        case 'begun':
          actions += fact.attempt - 1;
          return;
        case 'timer_started':
        case 'signaled':
        case 'update_accepted':
        case 'attributes_upserted':
          actions += 1;
          return;
        case 'marked':
          // All markers of one workflow task are one action.
          if (fact.task !== markedTask) actions += 1;
          markedTask = fact.task;
          return;
        case 'succeeded':
          if (fact.of === 'activity') actions += heartbeatsOf(await fact.result());
          return;
        case 'failed':
          if (fact.of === 'activity') actions += heartbeatsOf(await fact.failure?.());
          return;
        case 'cancelled':
          if (fact.of === 'activity') actions += heartbeatsOf(await (fact.failure ?? fact.details)?.());
          return;
        default:
          return;
      }
    },
  };
}

/** Counts the actions of calls under way: attempts after the first, and heartbeats so far. 0 for a closed run. */
export async function actionsUnderWay(client: Client, run: RunRef): Promise<number> {
  const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution: run,
  });
  const counts = (pendingActivities ?? []).map(async ({ attempt, heartbeatDetails }) => {
    const retries = Math.max(0, (attempt ?? 1) - 1);
    return retries + heartbeatsOf(await decodeFirst(client, heartbeatDetails));
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Reads the number of heartbeats that our runner writes into a call's heartbeat, result, or failure. 0 for other values. */
function heartbeatsOf(value: unknown): number {
  const { heartbeats } = fieldsOf(value);
  return typeof heartbeats === 'number' && Number.isSafeInteger(heartbeats) && heartbeats > 0
    ? heartbeats
    : 0;
}
