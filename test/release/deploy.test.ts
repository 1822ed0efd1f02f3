import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentRun } from '../../client/index.ts';
import { reloop } from '../support/cli.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { waitOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** Two versions of a project as processes, in the middle of runs, and a worker that is killed. */
const CONFIG = 'test/fixtures/configs/deploy.config.ts';
const STEPS = 12;
/** Steps of a run that works until another version works. */
const MOST = 500;
/** Runs of a batch, one after the other: more than end before a second version works. */
const IN_BATCH = 20;
let rig: CrashRig;

beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies({ body }) {
      const text = JSON.stringify(body);
      const by = [...text.matchAll(/Observation: worked by (\w+)/gu)].map(([, version]) => version);
      const versions = [...new Set(by)];
      if (text.includes('Move.'))
        return versions.length < 2 && by.length < MOST ? act('work', 'x') : answer(versions.join(' and '));
      if (text.includes('Pay.')) return by.length === 0 ? act('pay', 'x') : answer(`paid by ${by[0]}`);
      return by.length < STEPS ? act('work', `part ${by.length + 1}`) : answer(versions.join(' and '));
    },
  });
});
afterAll(() => rig.stop());

async function deploy(...words: string[]) {
  const options = ['--address', rig.server.address, '--config', CONFIG];
  const { code, stdout, stderr } = await reloopHere(['deploy', ...words, ...options], {
    OPENAI_BASE_URL: rig.model.url,
  });
  return { code, out: stdout + stderr };
}

async function startVersion(version: string) {
  const worker = rig.startWorker(join(rig.folder, 'calls'), undefined, [], version);
  await worker.prints('Worker ready');
  return worker;
}

const watch = (run: AgentRun) => reloop(['watch', run.id, '--address', rig.server.address]);

const outputsOf = (runs: AgentRun[]) => Promise.all(runs.map(async (run) => (await run.result()).output));
const startSix = () => Promise.all(Array.from({ length: 6 }, () => rig.client.start('clerk', 'Work.')));

test('runs end on the version that they began with, new runs begin on the promoted one, and `drain` says when the old one may end', async () => {
  const first = await startVersion('1');
  await first.prints(
    'New runs get workers without a version. `reloop deploy promote 1` gives them version 1.',
  );
  const early = await rig.client.start('clerk', 'Work.');
  const watching = watch(early);
  await watching.prints(
    'its workers have versions (1), and a worker takes new runs when its version is promoted',
  );
  expect(await deploy('promote', '1')).toMatchObject({ code: 0 });
  const [old, asked] = await Promise.all([startSix(), rig.client.start('clerk', 'Pay.')]);
  await waitOf(asked, { call: '1.1' });
  await until(() => linesOf(join(rig.folder, 'calls')).length > STEPS);

  await startVersion('2');
  expect(await deploy('promote', '2')).toMatchObject({ code: 0 });
  const later = await startSix();
  await first.killGroup();
  expect((await deploy('drain', '1', '--no-wait')).code).toBe(4);
  await startVersion('1');

  expect(await outputsOf([early])).toEqual(['1']);
  expect(await watching.exit).toBe(0);
  expect(await outputsOf(old)).toEqual(old.map(() => '1'));
  expect(await outputsOf(later)).toEqual(later.map(() => '2'));
  // The list of the server follows the histories a moment later.
  await expect
    .poll(() => deploy('drain', '1', '--no-wait'))
    .toEqual({
      code: 4,
      out: `${asked.id}  waits for a person\nVersion 1: waiting for 1 open run, 1 of them for a person. Keep its workers.\n`,
    });
  await asked.decide('1.1', { type: 'approve' });
  expect((await asked.result()).output).toBe('paid by 1');
  const drained = await deploy('drain', '1');
  expect(drained.code).toBe(0);
  expect(drained.out).toContain('Version 1 has no open runs: its workers may be stopped.');
  await rig.killWorkers();
});

test('a run that waits for a person is moved to the current version, whose worker is the only one, and continues', async () => {
  const third = await startVersion('3');
  expect((await deploy('promote', '3')).code).toBe(0);
  const run = await rig.client.start('clerk', 'Pay.');
  await waitOf(run, { call: '1.1' });
  await third.killGroup();
  const watching = watch(run);
  await watching.prints('start one with RELOOP_VERSION=3, or move the runs');
  await startVersion('4');
  expect((await deploy('promote', '4')).code).toBe(0);
  await expect.poll(async () => (await deploy('drain', '3', '--no-wait')).out).toContain(run.id);
  expect(await deploy('drain', '3', '--move')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Moved to the current version: 1 run.') as string,
  });
  await run.decide('1.1', { type: 'approve' });
  expect((await run.result()).output).toBe('paid by 4');
  expect(await watching.exit).toBe(0);
});

test('a run moves to the promoted version between two turns where its version says so, a batch between two runs, and the old workers may end', async () => {
  const old = await startVersion('moving1');
  expect((await deploy('promote', 'moving1')).code).toBe(0);
  const [run, asked] = await Promise.all([
    rig.client.start('clerk', 'Move.'),
    rig.client.start('clerk', 'Pay.'),
  ]);
  const schedule = rig.client.schedule('questions');
  const inputs = Array.from({ length: IN_BATCH }, () => 'Work.');
  const spec = { cronExpressions: ['0 0 1 1 * 2099'] };
  await schedule.create({ agent: 'clerk', inputs, concurrency: 1, spec });
  const batch = (await schedule.trigger()) ?? '';
  await waitOf(asked, { call: '1.1' });
  await startVersion('moving2');
  expect((await deploy('promote', 'moving2')).code).toBe(0);
  expect((await run.result()).output).toBe('moving1 and moving2');
  const last = rig.client.get(`${batch}-${IN_BATCH}`);
  const isThere = () => last.describe().then(Boolean, () => false);
  await expect.poll(isThere, { timeout: 300_000 }).toBe(true);
  expect((await last.result()).output).toBe('moving2');
  // The other run moves when its turn is over: the call of the turn is still made by the old version.
  await asked.decide('1.1', { type: 'approve' });
  expect((await asked.result()).output).toBe('paid by moving1');
  await expect.poll(async () => (await deploy('drain', 'moving1', '--no-wait')).code).toBe(0);
  await old.killGroup();
});
