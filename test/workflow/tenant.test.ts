import { expect, test } from 'vitest';
import { inheritingAgents } from '../support/inheriting-agents.ts';
import { leaseMessages } from '../support/lease-messages.ts';
import { useRig, waitOf } from '../support/rig.ts';

const rig = useRig(inheritingAgents('tenant'));

async function fairnessKeyOf(id: string) {
  const { raw } = await rig.temporal.workflow.getHandle(id).describe();
  return raw.workflowExecutionInfo?.priority?.fairnessKey;
}

/** Tenants that workers have named when they asked for requests. */
async function tenantsOf(model: string): Promise<Set<string>> {
  const messages = await leaseMessages(rig.temporal, rig.taskQueue, model);
  return new Set(messages.flatMap(({ request }) => request.wants.map(({ tenant }) => tenant)));
}

test('a run and its sub-agents have the tenant of the start, for Temporal and for the limits of models', async () => {
  await rig.client.run('tenant-top', 'what?', { id: 'tenant-1', tenant: 'acme' });
  expect(await fairnessKeyOf('tenant-1')).toBe('acme');
  expect(await fairnessKeyOf('tenant-1/1.1')).toBe('acme');
  expect(await tenantsOf('tenant-below')).toEqual(new Set(['acme']));
});

test('a message of a session has its tenant, and a run without one is of none', async () => {
  await rig.client.run('tenant-top', 'what?', { id: 'tenant-said', session: 'tenants', tenant: 'globex' });
  expect(await fairnessKeyOf('tenant-said')).toBe('globex');
  await rig.client.run('tenant-top', 'what?', { id: 'tenant-none' });
  expect(await fairnessKeyOf('tenant-none')).toBeFalsy();
  expect(await tenantsOf('tenant-below')).toEqual(new Set(['acme', 'globex', '']));
});

test('a rewind, a retry and a fork keep the tenant', async () => {
  const run = await rig.client.start('tenant-waits', 'what?', { id: 'tenant-kept', tenant: 'kept' });
  await waitOf(run, { call: '1.1' });
  await run.rewind({ step: 1 });
  await waitOf(run, { call: '1.1', n: 1 });
  await run.decide('1.1', { type: 'abort' });
  await expect(run.result()).rejects.toThrow('Aborted by the operator');
  await run.retry();
  await waitOf(run, { call: '1.1' });
  const fork = await run.fork({ step: 1, id: 'tenant-fork' });
  await waitOf(rig.client.get(fork.id), { call: '1.1' });
  expect(await fairnessKeyOf('tenant-kept')).toBe('kept');
  expect(await fairnessKeyOf('tenant-fork')).toBe('kept');
  expect(await tenantsOf('tenant-waits')).toEqual(new Set(['kept']));
});

test.each(['', ' ', 'a\nb', 'x'.repeat(65), 3])('the tenant %j is refused at a start', async (tenant) => {
  const start = rig.client.start('tenant-top', 'what?', { tenant: tenant as never });
  await expect(start).rejects.toThrow('tenant has to be a text of at most 64 bytes');
});

test('a fork takes no tenant', async () => {
  const fork = rig.client.get('any').fork({ step: 1, tenant: 'other' } as never);
  await expect(fork).rejects.toThrow('A fork keeps the tags, the tenant and the priority of its run');
});
