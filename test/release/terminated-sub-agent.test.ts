import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';

const fragile = brokenTool('no', 'fragile');
const forever = defineTool({
  name: 'forever',
  description: 'does not end by itself',
  run: (_input, { signal }) => sleep(600_000, 'never', { signal }),
});
const worried = agentTool({ agent: 'worried', description: 'asks a person' });

const rig = useRig({
  agents: [
    {
      name: 'parent',
      model: script(act('worried', 'x'), act('forever', 'y')),
      tools: [worried, forever],
      maxExecutionTime: 20_000,
    },
    { name: 'worried', model: script(act('fragile', 'x')), tools: [fragile] },
  ],
});

test('a wait in a sub-agent ends when it is terminated from outside, and the clock of the parent continues', async () => {
  const run = await rig.client.start('parent', 'what?');
  await waitOf(run, { call: '1.1/1.1' });
  await rig.temporal.workflow.getHandle(`${run.id}/1.1`).terminate('a test');
  await waitOf(run, { call: '1.1' });
  const { status, waiting } = await run.describe();
  expect(status).toBe('waiting');
  expect(waiting).toMatchObject([{ call: '1.1', reason: 'failed', error: { type: 'Terminated' } }]);
  expect(await rig.temporal.workflow.getHandle(run.id).query('status')).toMatchObject({ waiting });

  await run.decide('1.1', { type: 'retry' });
  await eventOf(run, 'waiting', ({ wait }) => wait.call.startsWith('1.1~1/'));
  await rig.client.get(`${run.id}/1.1~1`).cancel();
  expect((await run.result()).stopReason).toBe('max_execution_time');

  const told = [];
  for await (const event of run.events({ live: false })) {
    if (event.type === 'waiting') told.push(`${event.wait.call} waits`);
    if (event.type === 'resumed') told.push(`${event.call} does not`);
  }
  expect(told).toEqual([
    '1.1/1.1 waits',
    '1.1/1.1 does not',
    '1.1 waits',
    '1.1~1/1.1 waits',
    '1.1~1/1.1 does not',
  ]);
});
