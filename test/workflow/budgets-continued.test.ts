import { expect, test } from 'vitest';
import { ledgerId } from '../../agent/budgets/budget-rule.ts';
import { useRig } from '../support/rig.ts';
import { answer, modelOf } from '../support/scripts.ts';

/** More messages than the events of one execution of a ledger have room for, with the limit of the tests' server. */
const RUNS = 120;
/** Requests under way. As many share one message at most. */
const AT_ONCE = 2;

const rig = useRig({
  agents: [{ name: 'budget-many', model: modelOf(() => answer('done')) }],
  budgets: [{ name: 'many', of: 'agent', per: 'month', totalTokens: 1_000_000 }],
});

test('a ledger that continues as new while requests are under way has counted each of them once', async () => {
  const runSome = async () => {
    for (let runs = 0; runs < RUNS / AT_ONCE; runs += 1) await rig.client.run('budget-many', 'what?');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));
  const [report] = await rig.client.budgets().list();
  expect(report?.periods[0]).toMatchObject({
    used: { calls: RUNS, totalTokens: RUNS * 15 },
    reserved: { calls: 0 },
    unsettled: { calls: 0 },
  });
  const id = ledgerId(rig.taskQueue, 'many', 'budget-many');
  const executions: string[] = [];
  for await (const { runId } of rig.temporal.workflow.list({ query: `WorkflowId = "${id}"` }))
    executions.push(runId);
  expect(executions.length).toBeGreaterThan(1);
});
