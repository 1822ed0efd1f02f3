import { beforeAll, describe, expect, test } from 'vitest';
import type { BacktestReport } from '../../client/index.ts';
import { useCli } from '../support/cli-rig.ts';
import { act, answer } from '../support/scripts.ts';

/** `reloop backtest`, with a model that may answer otherwise than it did. */
let mood: 'as before' | 'other answer' | 'other call' = 'as before';
const {
  cli: reloop,
  config,
  requests,
} = useCli('cli', ({ prompt }) => {
  const question = prompt.slice(prompt.lastIndexOf('Question: '));
  if (!question.includes('Observation: ')) {
    return act('calculator', mood === 'other call' ? '40 + 3' : '40 + 2');
  }
  return answer(mood === 'other answer' ? 'forty-two' : '42');
});
const cli = (...args: string[]) => reloop(...args, ...config);
const runs = [`backtested-${Date.now()}`, `backtested-too-${Date.now()}`];
beforeAll(async () => {
  for (const id of runs) await cli('run', 'asker', `What is 40 + 2? ${id}`, '--id', id);
});

async function backtest(now: typeof mood, ...args: string[]) {
  mood = now;
  return cli('backtest', 'asker', '--runs', runs.join(','), ...args);
}

describe('reloop backtest', () => {
  test('prints both answers side by side, and ends with 1 where it is asked to', async () => {
    const { code, stdout } = await backtest('other answer', '--fail-on-change', '--limit', '1');
    expect(stdout.replace(/\d+ (before|after)/gu, 'N $1').split('\n')).toEqual([
      `${runs[0]}  answer differs from step 2`,
      '  step before    answer: 42',
      '  step after     answer: forty-two',
      '',
      '1 run: 0 same · 1 answer differs',
      expect.stringContaining('tokens: N before, N after'),
      '',
    ]);
    expect(code).toBe(1);
    expect((await backtest('other answer')).code).toBe(0);
  });

  test('prints one JSON object with --json', async () => {
    const { code, stdout } = await backtest('other call', '--json', '--id', `as-json-${Date.now()}`);
    const report = JSON.parse(stdout) as BacktestReport; // what is being tested
    expect(code).toBe(0);
    expect(report).toMatchObject({
      agent: 'asker',
      status: 'completed',
      total: 2,
      totals: { not_recorded: 2, changed: 2 },
    });
    expect(report.runs.map(({ id }) => id).toSorted()).toEqual(runs.toSorted());
    expect(report.runs[0]?.difference).toEqual({
      step: 1,
      before: { type: 'act', actions: [{ tool: 'calculator', toolInput: '40 + 2' }] },
      after: { type: 'act', actions: [{ tool: 'calculator', toolInput: '40 + 3' }] },
    });
  });

  test('goes on with the backtest of a name, and asks nothing again', async () => {
    const id = `again-${Date.now()}`;
    await backtest('as before', '--id', id);
    const asked = requests().length;
    const { code, stdout } = await cli('backtest', 'asker', '--id', id);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('2 runs: 2 same') });
    expect(requests()).toHaveLength(asked);
  });

  test.each([
    ['no runs', [], 'Which recorded runs?'],
    ['an unknown --live', ['--runs', 'x', '--live', 'all'], 'none-effects'],
    ['an unknown name alone', ['--id', 'nobody'], 'There is no backtest "nobody"'],
  ])('ends with 2 for %s, and says what to do', async (_, args, message) => {
    const { code, stdout, stderr } = await cli('backtest', 'asker', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('has a workflow that show and watch tell from a run', async () => {
    const id = `shown-${Date.now()}`;
    await backtest('as before', '--id', id);
    for (const verb of ['show', 'watch']) {
      const { code, stderr } = await cli(verb, `backtest:${id}`);
      expect(code).toBe(2);
      expect(stderr).toContain(`reloop backtest AGENT --id ${id}`);
    }
    const shown = await cli('show', `backtest:${id}/${runs[0]}`);
    expect(shown.stdout).toContain('calculator');
  });
});
