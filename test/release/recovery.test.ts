import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentRun } from '../../client/index.ts';
import type { JournalOwner } from '../../features/recovery/worker/attempt-journal.ts';
import { RECOVERY_SOURCE } from '../../agent/calls/failures.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';
import { type Standby, pendingActivity, standBy } from '../support/standby.ts';

/** What a worker does that comes after one of the same state folder was killed: by which end each attempt ended, and how many there were. */
const CONFIG = 'test/fixtures/crash.config.ts';
let rig: CrashRig;
const standbys: Standby[] = [];

beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies(request) {
      const text = JSON.stringify(request.body);
      if (text.includes('Observation: slowly did')) return answer('done');
      return act(
        text.includes('apart') ? 'apart' : 'slow',
        text.includes('that stays') ? 'the one that stays' : 'the slow one',
      );
    },
  });
});
afterEach(async () => {
  await Promise.all(standbys.splice(0).map(({ program }) => program.killGroup()));
  await rig.killWorkers();
});
afterAll(() => rig.stop());

/** A place of a test's own: a state folder, and what its workers write down. */
function placeOf(name: string) {
  const [stateDir, effects] = [join(rig.folder, name), join(rig.folder, `${name}.jsonl`)];
  const standby = async (more: { identity?: string; taskQueue?: string } = {}) => {
    const one = await standBy(rig, { config: CONFIG, stateDir, effects, ...more });
    standbys.push(one);
    return one;
  };
  return { stateDir, effects, standby };
}

/** Resolves when the first call has stored a checkpoint. */
const begun = (effects: string) => until(() => linesOf(`${effects}.parts`).length > 0);

/** The failure by which the attempt before this one ended. */
async function endOfFirst(run: AgentRun): Promise<string | null | undefined> {
  for (;;) {
    const pending = await pendingActivity(rig, run);
    if ((pending?.attempt ?? 1) > 1) return pending?.lastFailure?.source;
    await sleep(20);
  }
}

const attemptsOf = async (run: AgentRun) => (await run.result()).intermediateSteps[0]?.attempts;

test('a call of a killed worker is ended by the next worker of its state folder, and goes on from its checkpoint', async () => {
  const { stateDir, effects, standby } = placeOf('restart');
  const next = await standby();
  const killed = rig.startWorker(effects, stateDir);
  const run = await rig.client.start('slow', 'Do the one that stays.');
  await begun(effects);
  await killed.killGroup();
  await next.begin();

  expect(await endOfFirst(run)).toBe(RECOVERY_SOURCE);
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('done');
  expect(intermediateSteps).toMatchObject([{ attempts: 2 }]);
  const [first, second] = linesOf(effects).map((line) => JSON.parse(line) as { key: string; done: number });
  expect(second).toMatchObject({ key: first?.key });
  expect(second?.done).toBeGreaterThan(0);
});

test('a call on a queue beside that of the runs is ended by the next worker of this queue, while the others live on', async () => {
  const { stateDir, effects, standby } = placeOf('apart');
  const [others, next] = await Promise.all([standby(), standby({ taskQueue: 'crash-apart' })]);
  await others.begin();
  const killed = rig.startWorker(effects, stateDir, ['--queue', 'crash-apart']);
  const run = await rig.client.start('apart', 'Do the one that stays.');
  await begun(effects);
  await killed.killGroup();
  await next.begin();

  expect(await endOfFirst(run)).toBe(RECOVERY_SOURCE);
  expect(await attemptsOf(run)).toBe(2);
});

test('of two workers with one state folder, the next worker ends the calls of the killed one and leaves those of the other', async () => {
  const { stateDir, effects, standby } = placeOf('two');
  const [other, next] = await Promise.all([standby(), standby()]);
  const killed = rig.startWorker(effects, stateDir);
  const lost = await rig.client.start('slow', 'Do the one that stays.');
  await begun(effects);
  await other.begin();
  const onOther = (identity: string) => identity.startsWith(`${other.program.child.pid}@`);
  const others: AgentRun[] = [];
  let kept: AgentRun | undefined;
  while (kept === undefined) {
    const run = await rig.client.start('slow', 'Do another slow one.');
    const calls = linesOf(effects).length;
    await until(() => linesOf(effects).length > calls);
    if (onOther((await pendingActivity(rig, run))?.lastWorkerIdentity ?? '')) kept = run;
    else others.push(run);
  }
  await killed.killGroup();
  await next.begin();

  expect(await attemptsOf(kept)).toBe(1);
  // No run may stay open: the workers of the next test would go on with it.
  for (const run of [lost, ...others]) expect((await run.result()).output).toBe('done');
});

test('a process that has the id of a killed worker does not keep its calls from being ended', async () => {
  const { stateDir, effects, standby } = placeOf('reused');
  const [killed, next] = await Promise.all([
    standby({ identity: 'the worker' }),
    standby({ identity: 'the next one' }),
  ]);
  await killed.begin();
  const run = await rig.client.start('slow', 'Do the one that stays.');
  await begun(effects);
  await killed.program.killGroup();
  const [journal = ''] = journalsOf(stateDir);
  writeFileSync(journal, forged(journal, { pid: process.pid }));
  await next.begin();
  expect(await endOfFirst(run)).toBe(RECOVERY_SOURCE);
  expect(await attemptsOf(run)).toBe(2);
});

test('a journal that gives the calls of a live worker for those of a dead process has no consequence', async () => {
  const [{ stateDir, effects, standby }, elsewhere] = [placeOf('live'), placeOf('elsewhere')];
  const [next, last] = await Promise.all([standby(), elsewhere.standby()]);
  rig.startWorker(effects, stateDir);
  const run = await rig.client.start('slow', 'Do the slow one.');
  await until(() => linesOf(effects).length > 0);
  const [journal = ''] = journalsOf(stateDir);
  mkdirSync(join(elsewhere.stateDir, 'attempts'), { recursive: true });
  writeFileSync(join(stateDir, 'attempts/forged.jsonl'), forged(journal, { startedAt: 'another time' }));
  writeFileSync(join(elsewhere.stateDir, 'attempts/forged.jsonl'), forged(journal, { pid: NOBODY }));
  await Promise.all([next.begin(), last.begin()]);

  expect(await attemptsOf(run)).toBe(1);
  expect(linesOf(effects)).toHaveLength(1);
});

/** Larger than any process id. */
const NOBODY = 2 ** 30;

function journalsOf(stateDir: string): string[] {
  const folder = join(stateDir, 'attempts');
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => join(folder, name));
}

/** A journal that says something else of whose it is. */
function forged(journal: string, change: Partial<JournalOwner>): string {
  const [owner = '', ...lines] = readFileSync(journal, 'utf8').split('\n');
  const changed = { ...(JSON.parse(owner) as JournalOwner), ...change }; // a worker's own file
  return [JSON.stringify(changed), ...lines].join('\n');
}
