import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { cli } from '../../cli/cli.ts';
import { InvalidInput } from '../../client/connect/errors.ts';
import clerks, { register } from '../fixtures/configs/batch.config.ts';
import { allOf } from '../support/all-of.ts';
import { fakeIo } from '../support/fake-io.ts';
import { useRig } from '../support/rig.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The server is shared with other tests. */
const tag = `lot-${randomUUID().slice(0, 8)}`;
const agent = 'clerk';
const folder = tempFolder();
const config = fileURLToPath(new URL('../fixtures/configs/batch.config.ts', import.meta.url));
const rig = useRig(clerks);

async function reloop(...args: string[]) {
  const io = fakeIo({ columns: 200 });
  const common = ['--address', inject('temporalAddress'), '--task-queue', rig.taskQueue, '--config', config];
  const code = await cli([...args, ...common], io);
  return { code, out: io.out(), err: io.err() };
}

/** The server's list lags behind. */
const listed = () => allOf(rig.client.list({ tags: [tag] }));

const rows = ['pay one', 'look two', 'what three', 'pay four', 'what five'];
const file = join(folder, 'in.csv');
const out = join(folder, 'out.csv');
const batch = () => reloop('batch', agent, file, '--id', tag, '--out', out, '--concurrency', '1');

function results(): string[] {
  return readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').slice(0, 5).join());
}

describe('reloop batch', () => {
  beforeAll(() => writeFileSync(file, `n,question\n${rows.map((row, n) => `${n},${row}`).join('\n')}\n`));

  test('goes on past runs that wait or fail, and says of each row what became of it', async () => {
    const { code, err } = await batch();
    expect(results()).toEqual([
      `0,pay one,${tag}-1,waiting,`,
      `1,look two,${tag}-2,failed,`,
      `2,what three,${tag}-3,completed,done`,
      `3,pay four,${tag}-4,waiting,`,
      `4,what five,${tag}-5,completed,done`,
    ]);
    expect(code).toBe(1);
    expect(err).toContain(`2 of 5 done, 1 failed, 2 wait for a person`);
    expect(err).toContain(
      `retry --all --status failed --tag ${tag}\`, then the same batch again with --id ${tag}`,
    );
    expect(err).not.toContain('To continue it later');
  });

  test('names the id that continues it, where none was given', async () => {
    const { err } = await reloop('batch', agent, file, '--column', 'question');
    expect(err).toMatch(/Batch (\S+): 5 runs of \S+\. To continue it later: the same with --id \1\./u);
  });

  test('finds its runs when it is started again, and asks the model for none of them', async () => {
    const before = register.asked;
    const again = results();
    await batch();
    expect(results()).toEqual(again);
    expect(register.asked).toBe(before);
  });

  test('has the answers of runs that were decided on, or retried, since', async () => {
    await expect
      .poll(async () => (await listed()).filter(({ status }) => status === 'failed'))
      .toHaveLength(1);
    const nothing = await reloop('retry', '--all', '--tag', tag, '--text', 'look', '--dry-run');
    expect(nothing.err).toContain(
      'nothing fits. Runs with these filters: 1 failed. For runs that are over: --status failed.',
    );
    const plan = await reloop('retry', '--all', '--status', 'failed', '--tag', tag, '--dry-run');
    expect(plan.err).toContain('retry would be for 1 run.');
    register.isOpen = true;
    const retried = await reloop('retry', '--all', '--status', 'failed', '--tag', tag, '--yes');
    expect(retried).toMatchObject({ code: 0, err: expect.stringContaining('1 done, 0 refused.') });
    for (const n of [1, 4]) await rig.client.get(`${tag}-${n}`).decide(undefined, { type: 'approve' });
    const { code } = await batch();
    expect(code).toBe(0);
    expect(results().map((line) => line.split(',')[3])).toEqual(Array(5).fill('completed'));
  });

  test('refuses a retry with filters of calls that wait, of which a run that is over has none', async () => {
    const { code, err } = await reloop('retry', '--all', '--status', 'failed', '--tool', 'pay', '--dry-run');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--tool, --model-calls') });
  });

  test('leaves the run of a row alone that has another question now', async () => {
    const [result] = await rig.client.batch(agent, ['another one'], { id: tag });
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(InvalidInput) });
  });

  test('has its runs summed up by reloop report, and listed in full', async () => {
    await expect
      .poll(async () => (await listed()).map(({ status }) => status))
      .toEqual(Array(5).fill('completed'));
    const report = JSON.parse((await reloop('report', '--tag', tag, '--json')).out) as object;
    expect(report).toMatchObject({ runs: 5, statuses: { completed: 5 }, failures: [], waiting: [] });
    const full = JSON.parse((await reloop('list', '--tag', tag, '--full', '--json')).out) as object[];
    expect(full).toHaveLength(5);
    for (const run of full)
      expect(run).toMatchObject({ output: 'done', error: null, usage: { modelCalls: expect.any(Number) } });
    const { out: plain } = await reloop('list', '--tag', tag, '--json');
    expect(plain).not.toContain('"usage"');
  });
});
