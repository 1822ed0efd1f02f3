import { mkdirSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import type { ScheduleDefinition } from '../../features/schedules/rules/schedule-definition.ts';
import { syncSchedules } from '../../features/schedules/client/sync-schedules.ts';
import { root } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { useRig } from '../support/rig.ts';
import { answer, script } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

const agents = [{ name: 'helper', model: script(answer('25')) }];
const rig = useRig({ agents });
const folder = tempFolder();
const never: ScheduleDefinition['spec'] = { cronExpressions: ['0 0 1 1 * 2099'] };
const unique = (name: string) => `${name}-${randomUUID()}`;

test('a schedule starts runs that are like any other', async () => {
  const { client, taskQueue } = rig;
  const name = unique('daily');
  const schedule = client.schedule(name);
  await schedule.create({ agent: 'helper', input: '5 x 5?', tags: ['scheduled'], spec: never });
  const id = (await schedule.trigger()) ?? '';
  const run = client.get(id);
  expect((await run.result()).output).toBe('25');
  expect(await run.describe()).toMatchObject({ agent: 'helper', input: '5 x 5?', status: 'completed' });
  await expect
    .poll(async () => (await client.listPage({ agent: 'helper', tags: ['scheduled'] })).runs)
    .toEqual([expect.objectContaining({ id, input: '5 x 5?' })]);
  expect(await schedule.describe()).toMatchObject({
    name,
    agent: 'helper',
    taskQueue,
    started: 1,
    synced: false,
  });
});

test('a schedule is paused, resumed, made up for and deleted', async () => {
  const { client } = rig;
  const name = unique('hourly');
  const schedule = client.schedule(name);
  const policies = { overlap: 'ALLOW_ALL' as const };
  await schedule.create(
    { agent: 'helper', input: 'x', spec: { intervals: [{ every: '1h' }] }, policies },
    { paused: true },
  );
  await schedule.resume();
  await schedule.pause('for the audit');
  expect(await schedule.describe()).toMatchObject({ paused: true, note: 'for the audit' });
  await schedule.backfill({ start: new Date('2026-01-01T00:30Z'), end: new Date('2026-01-01T02:30Z') });
  await expect.poll(async () => (await schedule.describe()).runs.length).toBe(2);
  await schedule.delete();
  await expect(schedule.describe()).rejects.toMatchObject({ name: 'ScheduleNotFound' });
});

test('a schedule that cannot be is refused by a sentence, and nothing is made', async () => {
  const schedule = rig.client.schedule(unique('wrong'));
  const create = (spec: ScheduleDefinition['spec']) => schedule.create({ agent: 'helper', input: 'x', spec });
  await expect(create({ cronExpressions: ['7 o clock'] })).rejects.toThrow('3 fields; five are needed');
  await expect(create({ ...never, timezone: 'Mars' })).rejects.toThrow('is not an IANA time zone');
  await expect(schedule.describe()).rejects.toMatchObject({ name: 'ScheduleNotFound' });
  await create(never);
  await expect(create(never)).rejects.toThrow('already');
});

test('sync makes the server have the schedules of a config, and leaves others alone', async () => {
  const { temporal, client } = rig;
  const taskQueue = unique('queue');
  const [one, two, foreign] = ['one', 'two', 'foreign'].map(unique) as [string, string, string];
  await client.schedule(foreign).create({ agent: 'helper', input: 'x', spec: never }, { taskQueue });
  const spec: ScheduleDefinition['spec'] = {
    cronExpressions: ['*/5 9-17 * * MON-FRI', '0 0 * * 5-7'],
    calendars: [{ hour: 7, month: ['JUNE', 'JULY'], comment: 'summer' }],
    intervals: [{ every: '2h', offset: '5m' }],
    skip: [{ dayOfMonth: 24, month: 'DECEMBER' }],
    timezone: 'Europe/Berlin',
    startAt: new Date('2090-01-01'),
    jitter: '30s',
  };
  const first = { agent: 'helper', input: 'first', spec, policies: { catchupWindow: '1h' } };
  const second = { agent: 'helper', input: 'second', spec: never };
  const sync = (schedules: { [name: string]: ScheduleDefinition }, options = {}) =>
    syncSchedules(temporal, taskQueue, schedules, options);

  expect(await sync({ [one]: first, [two]: second }, { dryRun: true })).toEqual([
    { name: one, change: 'create' },
    { name: two, change: 'create' },
  ]);
  await expect(client.schedule(one).describe()).rejects.toMatchObject({ name: 'ScheduleNotFound' });
  await sync({ [one]: first, [two]: second });
  expect(await sync({ [one]: first, [two]: second })).toEqual([
    { name: one, change: 'none' },
    { name: two, change: 'none' },
  ]);
  await client.schedule(one).pause();
  const changed = { ...first, input: 'other', spec: { ...spec, timezone: 'UTC' } };
  expect(await sync({ [one]: changed, [two]: second })).toEqual([
    { name: one, change: 'update', parts: ['timezone', 'input'] },
    { name: two, change: 'none' },
  ]);
  expect(await client.schedule(one).describe()).toMatchObject({ paused: true, input: { input: 'other' } });

  await expect.poll(async () => (await client.schedules()).map(({ name }) => name)).toContain(two);
  await expect(sync({ [one]: first })).rejects.toThrow(
    `Not in the config any more: ${two}. Nothing was changed.`,
  );
  expect((await client.schedule(one).describe()).input).toMatchObject({ input: 'other' });
  expect(await sync({ [one]: first }, { delete: true })).toContainEqual({ name: two, change: 'delete' });
  await expect(client.schedule(two).describe()).rejects.toMatchObject({ name: 'ScheduleNotFound' });
  await expect(sync({ [foreign]: second })).rejects.toThrow('is not one of this config');
  expect((await client.schedule(foreign).describe()).synced).toBe(false);
});

test('the command brings the config to the server, and doctor names a schedule whose agent is gone', async () => {
  const taskQueue = unique('queue');
  const name = unique('config');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'reloop.config.ts');
  const write = (agent: string, schedules: string) =>
    writeFileSync(
      file,
      `import { defineAgent, defineConfig } from '${root}/index.ts';
import { scripted } from '${root}/features/testing/index.ts';
const agents = [defineAgent({ name: '${agent}', model: scripted(['x']) })];
export default defineConfig({ agents, taskQueue: '${taskQueue}', schedules: ${schedules} });`,
    );
  const spec = `{ cronExpressions: ['0 0 1 1 * 2099'] }`;
  write('helper', `{ '${name}': { agent: 'helper', input: 'x', spec: ${spec} } }`);
  const reloop = (...words: string[]) =>
    reloopHere([...words, '--config', file, '--address', inject('temporalAddress')]);
  expect(await reloop('schedule', 'sync', '--dry-run')).toMatchObject({
    code: 0,
    stdout: `${name}  create\n`,
  });
  expect(await reloop('schedule', 'sync')).toMatchObject({ code: 0 });
  expect(await reloop('schedule', 'show', name)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('asks helper: x') as string,
  });
  expect(await reloop('schedule', 'show', 'nobody')).toMatchObject({ code: 2 });

  const other = join(folder, 'other.config.ts');
  writeFileSync(
    other,
    `import { defineAgent, defineConfig } from '${root}/index.ts';
import { scripted } from '${root}/features/testing/index.ts';
export default defineConfig({ agents: [defineAgent({ name: 'other', model: scripted(['x']) })], taskQueue: '${taskQueue}' });`,
  );
  const doctor = async () =>
    (await reloopHere(['doctor', '--config', other, '--address', inject('temporalAddress')])).stdout;
  await expect.poll(doctor).toContain(`${name}: the config has no agent helper`);
});
