import { expect, test } from 'vitest';
import { inheritingAgents } from '../support/inheriting-agents.ts';
import { leaseMessages } from '../support/lease-messages.ts';
import { useRig, waitOf } from '../support/rig.ts';

const rig = useRig(inheritingAgents('priority'));

/** Priority of a run as the server has it, and as `reloop list --json` shows it. */
async function prioritiesOf(id: string) {
  const { raw } = await rig.temporal.workflow.getHandle(id).describe();
  const { runs } = await rig.client.listPage({ idPrefix: id });
  const listed = runs.find((run) => run.id === id);
  return [raw.workflowExecutionInfo?.priority?.priorityKey ?? 0, listed?.priority];
}

test('a run has the priority of its start, its sub-agents too, for Temporal and for the limits of models', async () => {
  await rig.client.run('priority-top', 'what?', { id: 'priority-1', priority: 1 });
  expect(await prioritiesOf('priority-1')).toEqual([1, 1]);
  expect((await prioritiesOf('priority-1/1.1'))[0]).toBe(1);
  const messages = await leaseMessages(rig.temporal, rig.taskQueue, 'priority-below');
  const wanted = messages.flatMap(({ request }) => request.wants.map(({ priority }) => priority));
  expect(new Set(wanted)).toEqual(new Set([1]));
});

test('a message of a session and a run of a batch have theirs, and a run without one has none', async () => {
  const said = { id: 'priority-said', session: 'priorities', priority: 2, tenant: 'priority-tenant' };
  await rig.client.run('priority-top', 'what?', said);
  expect(await prioritiesOf('priority-said')).toEqual([2, 2]);
  await rig.client.batch('priority-below', ['one?', 'two?'], { id: 'priority-batch', priority: 5 });
  const rows = await rig.client.listPage({ idPrefix: 'priority-batch' });
  expect(rows.runs.map(({ priority }) => priority)).toEqual([5, 5]);
  await rig.client.run('priority-below', 'what?', { id: 'priority-none' });
  expect(await prioritiesOf('priority-none')).toEqual([0, undefined]);
});

test('a rewind, a retry and a fork keep the priority', async () => {
  const run = await rig.client.start('priority-waits', 'what?', { id: 'priority-kept', priority: 4 });
  await waitOf(run, { call: '1.1' });
  await run.rewind({ step: 1 });
  await waitOf(run, { call: '1.1', n: 1 });
  await run.decide('1.1', { type: 'abort' });
  await expect(run.result()).rejects.toThrow('Aborted by the operator');
  await run.retry();
  await waitOf(run, { call: '1.1' });
  const fork = await run.fork({ step: 1, id: 'priority-fork' });
  await waitOf(rig.client.get(fork.id), { call: '1.1' });
  expect(await prioritiesOf('priority-kept')).toEqual([4, 4]);
  expect(await prioritiesOf('priority-fork')).toEqual([4, 4]);
});

test('a fork takes no priority', async () => {
  const fork = rig.client.get('any').fork({ step: 1, priority: 1 } as never);
  await expect(fork).rejects.toThrow('A fork keeps the tags, the tenant and the priority of its run');
});

test.each([0, 6, 1.5, '1'])('the priority %j is refused at a start', async (priority) => {
  const start = rig.client.start('priority-top', 'what?', { priority: priority as never });
  await expect(start).rejects.toThrow('priority has to be a whole number from 1, which goes first, to 5');
});
