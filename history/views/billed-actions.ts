import type { Client } from '@temporalio/client';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Fact } from '../read/fact.ts';
import type { RunRef } from '../read/pages.ts';
import { decodeFirst } from '../read/payloads.ts';

/** Counts the billed actions of the runs whose facts it is given, oldest first. */
export interface ActionCount {
  next(fact: Fact): Promise<void>;
  sum(): number;
}

/** The intent to start a child workflow, and the start. */
const CHILD_ACTIONS = 2;

/**
 * Actions as Temporal Cloud bills them (https://docs.temporal.io/cloud/actions) and as its Web UI counts a history
 * (temporalio/ui, get-event-billable-actions.ts), with the heartbeats, which no history has: of each call as many as its runner
 * says it has sent. What leaves no trace is not in it: queries, refused updates, heartbeats of tools in other languages, of
 * calls that were terminated with their run.
 *
 * Summed over continue-as-new. A run that a rewind, a fork or a Reset began counts from there.
 */
export function createActionCount(): ActionCount {
  let [earlier, actions] = [0, 0];
  let markedTask: string | undefined;

  return {
    sum: () => earlier + actions,
    async next(fact) {
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
          // All that one workflow task records are one action.
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

/** Of calls under way: the attempts after each first, and the heartbeats so far. None of a run that is over. */
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

/** What our runner writes into the record, the result and the failure of a call; anybody else may write what they like. */
function heartbeatsOf(value: unknown): number {
  const { heartbeats } = fieldsOf(value);
  return typeof heartbeats === 'number' && Number.isSafeInteger(heartbeats) && heartbeats > 0
    ? heartbeats
    : 0;
}
