import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { cli } from '../../cli/cli.ts';
import type { EvalReport } from '../../features/evals/rules/eval-report.ts';
import shopConfig, { shop } from '../fixtures/configs/evals.config.ts';
import { fakeIo } from '../support/fake-io.ts';
import { useRig } from '../support/rig.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The config reads it when it is loaded. */
const file = vi.hoisted(
  () => (process.env['EVAL_CASES'] = `${process.cwd()}/node_modules/.cache/eval-cases-${process.pid}.jsonl`),
);
const folder = tempFolder();
const config = fileURLToPath(new URL('../fixtures/configs/evals.config.ts', import.meta.url));
const rig = useRig(shopConfig);
const junit = join(folder, 'junit.xml');
const html = join(folder, 'prices.html');

async function reloop(...args: string[]) {
  const io = fakeIo({ columns: 200 });
  const common = ['--address', inject('temporalAddress'), '--task-queue', rig.taskQueue, '--config', config];
  const code = await cli([...args, ...common], io);
  return { code, out: io.out(), err: io.err() };
}

async function evaluated(...args: string[]): Promise<EvalReport> {
  const { out, err } = await reloop('eval', ...args, '--json');
  if (out === '') throw new Error(err);
  const { evals } = JSON.parse(out) as { evals: [EvalReport] }; // printed by us
  return evals[0];
}

/** The server's list lags behind. */
async function listed(id: string, runs: number): Promise<void> {
  await expect
    .poll(async () => (await rig.client.listPage({ tags: [id, 'eval:shop-prices'] })).runs)
    .toHaveLength(runs);
}

describe('reloop eval', () => {
  test('scores each case by its checks, by a judge too, and says what failed and why', async () => {
    const { code, out, err } = await reloop(
      'eval',
      'shop-prices',
      '--id',
      'prices-1',
      '--junit',
      junit,
      '--html',
      html,
    );
    expect(err).toContain('Eval prices-1: 2 cases for shopkeeper.');
    expect(err).toContain('judge judges 2 answers.');
    expect(
      out.split('\n').map((line) => line.replaceAll(/ {2,}/gu, ' | ').replace(/\d+ tokens.*/u, '')),
    ).toEqual([
      'RESULT | SCORE | STEPS | TOKENS | CASE',
      expect.stringMatching(/^passed \| 0.98 \| 2 \| \d+ \| What is a lamp\?$/u),
      expect.stringMatching(/^failed \| 0.64 \| 2 \| \d+ \| What is a chair\?$/u),
      ' | contains: the answer is "Something.", without "120"',
      ' | judge: It is vague.',
      expect.stringMatching(/^ \| run prices-1-[0-9a-f]{8}$/u),
      '',
      'prices-1: 1 of 2 passed, score 0.81, ',
      '',
    ]);
    expect(code).toBe(1);
    expect(readFileSync(junit, 'utf8')).toContain('tests="2" failures="1" errors="0"');
    expect(readFileSync(html, 'utf8')).toContain('contains: the answer is &quot;Something.&quot;');
  });

  test('asks no model again for what was asked, and shows the same results', async () => {
    const before = { ...shop };
    const again = await evaluated('shop-prices', '--id', 'prices-1');
    expect(again).toMatchObject({ passed: 1, failed: 1, before: null });
    await listed('prices-1', 2);
    const shown = await evaluated('show', 'shop-prices', '--id', 'prices-1');
    expect(shown).toEqual(again);
    expect(shop).toEqual(before);
    expect(shop).toMatchObject({ asked: 4, judged: 2 });
  });

  test('compares with the results before: what passed, and does not now', async () => {
    shop.forgets = true;
    const second = await evaluated('shop-prices', '--id', 'prices-2');
    shop.forgets = false;
    expect(second.passed).toBe(0);
    expect(second.before).toMatchObject({
      id: 'prices-1',
      passed: 1,
      changes: [{ input: 'What is a lamp?', change: 'broken' }],
    });
    await listed('prices-2', 2);
    const { code, out } = await reloop('eval', 'show', 'shop-prices');
    expect(code).toBe(0);
    expect(out).toMatch(/^failed\s+[\d.]+\s+broken/mu);
    expect(out).toContain('Before, prices-1: 1 passed, score 0.81; 1 case changed.');
    const other = await evaluated('show', 'shop-prices', '--id', 'prices-1', '--against', 'prices-2');
    expect(other.before?.changes).toMatchObject([{ change: 'fixed' }]);
  });

  test('counts a run that failed, and one that waits, whose case a decision completes', async () => {
    const { code, out } = await reloop('eval', 'shop-trouble', '--id', 'trouble-1');
    expect(out).toContain('ModelBadRequest');
    expect(out).toContain('0 of 2 passed, 1 not over');
    expect(code).toBe(1);
    const waiting = (await evaluated('show', 'shop-trouble', '--id', 'trouble-1')).cases.find(
      ({ status }) => status === 'waiting',
    );
    expect(waiting?.checks[0]).toMatchObject({ check: 'called refund {"euros":9}', passed: true });
    await rig.client.get(waiting?.run ?? '').decide(undefined, { type: 'reject', reason: 'no' });
    const { cases } = await evaluated('run', 'shop-trouble', '--id', 'trouble-1');
    expect(cases.map(({ status }) => status).toSorted()).toEqual(['completed', 'failed']);
    // The config has no prices.
    expect(cases.flatMap(({ checks }) => checks.filter(({ check }) => check === 'cost under $1'))).toEqual(
      Array.from({ length: 2 }, () => ({
        check: 'cost under $1',
        score: 0,
        passed: false,
        reason: 'the cost is not known: the config has no price of the model',
      })),
    );
  });

  test.each([
    [
      ['eval', 'nothing'],
      'There is no eval "nothing". The config has: shop-prices, shop-trouble, shop-file.',
    ],
    [['eval', 'shop-prices', '--model', ' '], 'model has to be the name of a model'],
    [['eval', 'show', 'shop-prices', '--id', 'never'], '"never" has no run of a case of eval shop-prices'],
    [
      ['eval', 'show', 'shop-prices', '--against', 'never'],
      '"never" has no run of a case of eval shop-prices',
    ],
    [['eval', '--id', 'x'], '--id is of one eval: type its name, too.'],
  ])('refuses %j', async (args, sentence) => {
    const { code, err } = await reloop(...args);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  });
});

describe('reloop eval add', () => {
  beforeAll(() => writeFileSync(file, '{"input":"What is a chair?","expected":"120"}'));
  afterAll(() => rmSync(file));

  test('writes the question and the answer of a run after the other cases, which are then asked', async () => {
    const run = await rig.client.start('shopkeeper', 'And a lamp?', { id: 'asked-of-shop' });
    await run.result();
    const { code, err } = await reloop('eval', 'add', run.id);
    expect(err).toBe(`Added to ${file}. Look at "expected": it is what the agent answered.\n`);
    expect(code).toBe(0);
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([
      '{"input":"What is a chair?","expected":"120"}',
      '{"input":"And a lamp?","expected":"A lamp costs 45 euros."}',
      '',
    ]);
    const { passed, cases } = await evaluated('shop-file');
    expect(passed).toBe(1);
    expect(cases.map(({ input }) => input)).toEqual(['What is a chair?', 'And a lamp?']);
  });

  test.each([
    [
      ['asked-of-shop', 'shop-prices'],
      'Eval "shop-prices" is not one that asks agent shopkeeper the cases of a file.',
    ],
    [['nobody-asked'], 'There is no run "nobody-asked".'],
  ])('refuses %j', async (args, sentence) => {
    const { code, err } = await reloop('eval', 'add', ...args);
    expect(err).toContain(sentence);
    expect(code).toBe(2);
  });
});
