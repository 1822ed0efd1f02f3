import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { allOf } from '../support/all-of.ts';

/** Which recorded runs a backtest takes, and which it refuses. */
const broken = brokenTool('no route');

const rig = useRig({
  agents: [
    { name: 'payer', model: script(answer('done')) },
    { name: 'helper', model: script(answer('done')) },
    { name: 'waiter', model: script(act('broken', 'x')), tools: [broken] },
  ],
});

async function recorded(agent: string): Promise<AgentRun> {
  const run = await rig.client.start(agent, `question ${randomUUID()}`);
  await run.result();
  return run;
}

describe('the runs of a backtest', () => {
  test('are found by a query, of the agent itself', async () => {
    const run = await recorded('payer');
    await recorded('helper');
    const backtest = await rig.client.backtest('payer', {
      runs: { query: `WorkflowId = "${run.id}" OR WorkflowId STARTS_WITH "helper-"` },
    });
    expect((await backtest.report()).runs.map(({ id }) => id)).toEqual([run.id]);
  });

  test('are no runs that somebody asked for: no list has them', async () => {
    const run = await recorded('payer');
    await (await rig.client.backtest('payer', { runs: [run.id] })).report();
    const listed = await allOf(rig.client.list(200));
    expect(listed.filter(({ id }) => id.startsWith('backtest:'))).toEqual([]);
  });
});

describe('a backtest is refused', () => {
  test.each([
    ['of an unknown run', { runs: ['nobody'] }, 'RunNotFound'],
    ['of no run', { runs: [] }, 'InvalidInput'],
    ['without runs', {}, 'InvalidInput'],
    ['with a query that is none', { runs: { query: 'nonsense' } }, 'InvalidInput'],
    ['that no run fits', { runs: { query: 'WorkflowId = "nobody"' } }, 'InvalidInput'],
    ['without concurrency', { runs: ['x'], concurrency: 0 }, 'InvalidInput'],
  ])('%s', async (_, options, name) => {
    await expect(rig.client.backtest('payer', options)).rejects.toMatchObject({ name });
  });

  test('while the run is not over', async () => {
    const run = await rig.client.start('waiter', 'waits');
    await waitOf(run);
    await expect(rig.client.backtest('waiter', { runs: [run.id] })).rejects.toMatchObject({
      name: 'InvalidInput',
    });
    await run.cancel();
  });

  test('under the name of another agent’s', async () => {
    const run = await recorded('payer');
    const id = randomUUID();
    await (await rig.client.backtest('payer', { id, runs: [run.id] })).report();
    await expect(rig.client.backtest('helper', { id })).rejects.toMatchObject({ name: 'InvalidInput' });
    await expect(rig.client.backtest('payer', { id })).resolves.toMatchObject({ id });
  });
});
