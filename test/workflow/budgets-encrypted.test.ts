import { expect, test } from 'vitest';
import { ledgerId } from '../../agent/budgets/budget-rule.ts';
import { useRig } from '../support/rig.ts';
import { answer, costing, modelOf } from '../support/scripts.ts';

const rig = useRig({
  agents: [
    {
      name: 'budget-secret',
      model: costing(
        1_000,
        modelOf(() => answer('done')),
      ),
    },
  ],
  budgets: [{ name: 'secret', of: 'tenant', per: 'day', totalTokens: 1_000 }],
  encryption: { keys: { budget: Buffer.alloc(32, 'b').toString('base64') } },
});

test('with encryption a call waits for its budget, and the ledger has no message in plain text', async () => {
  await rig.client.run('budget-secret', 'how?', { tenant: 'budget-secret' });
  const run = await rig.client.start('budget-secret', 'what?', { tenant: 'budget-secret' });
  const waits = (async () => {
    for await (const event of run.events()) if (event.type === 'tool_progress') return event.text;
    return undefined;
  })();
  expect(await waits).toContain('waits for the budget "secret"');
  await rig.client.budgets().extend('secret', { totalTokens: 2_000 }, 'budget-secret');
  expect((await run.result()).output).toBe('done');
  const [report] = await rig.client.budgets().list();
  expect(report?.periods[0]).toMatchObject({ limit: { totalTokens: 3_000 }, used: { calls: 2 } });

  const id = ledgerId(rig.taskQueue, 'secret', 'budget-secret');
  const history = await rig.temporal.workflow.getHandle(id).fetchHistory();
  const accepted = (history.events ?? []).flatMap(
    (event) =>
      event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.args?.payloads ?? [],
  );
  const kinds = accepted.map(({ metadata }) => Buffer.from(metadata?.['encoding'] ?? []).toString());
  expect(new Set(kinds)).toEqual(new Set(['binary/encrypted']));
});
