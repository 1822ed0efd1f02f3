/** The workflows of own-worker.ts: they run in Temporal's sandbox, and ask agents as steps. */
import { executeChild, proxyActivities } from '@temporalio/workflow';
import { agentRun, runAgent } from 'reloop/workflows';
import type { activities } from './own-worker.ts';

// So that this worker serves `reloop run`, sessions and sub-agents as well.
export * from 'reloop/workflows';

const { publish } = proxyActivities<typeof activities>({ startToCloseTimeout: '10s' });

/** Two agents side by side, then an activity of one's own. */
export async function compareCapitals(countries: readonly [string, string]): Promise<string> {
  const answers = await Promise.all(countries.map((country) => runAgent('geographer', country)));
  return publish(answers.map(({ output }) => output));
}

/** The same as a run of its own, with an id and a history of its own: `reloop show`, `watch` and decisions go by its id. */
export async function askAsChild(country: string): Promise<unknown> {
  const { output } = await executeChild(agentRun, {
    workflowId: `capital-of-${country}`,
    args: [{ agent: 'geographer', input: country }],
  });
  return output;
}
