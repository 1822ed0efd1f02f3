import type { Client } from '@temporalio/client';
import { isInvalidArgument } from '../../history/read/pages.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { AGENT_RUN, AGENT_SESSION } from '../../workflows/messages.ts';
import { type Check, note } from './check-result.ts';

/** Temporal sets the attribute after a workflow task has failed several times in a row. Servers before 1.30 do not know it. */
const STUCK = `TemporalReportedProblems IS NOT NULL AND CloseTime IS NULL AND WorkflowType IN ("${AGENT_RUN}", "${AGENT_SESSION}")`;

const SHOWN = 5;

/** Open runs and sessions whose workflow task keeps failing: no worker can continue them. Empty without such runs. */
export async function checkStuck(client: Client): Promise<Check[]> {
  try {
    const { namespace } = client.options;
    const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
      namespace,
      query: STUCK,
      pageSize: SHOWN,
    });
    const ids = executions.map(({ execution }) => oneLine(execution?.workflowId ?? ''));
    if (ids.length === 0) return [];
    const more = nextPageToken.length > 0 ? ', …' : '';
    const advice =
      "their workflow task keeps failing: a worker's log says why. A worker with the code that they started with continues them";
    return [note('stuck runs', ids.join(', ') + more, advice)];
  } catch (error) {
    if (isInvalidArgument(error)) return [];
    throw error;
  }
}
