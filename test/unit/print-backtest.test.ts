import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import {
  type BacktestReport,
  type BacktestedRun,
  backtestedRun,
  totalsOf,
  unreadRun,
} from '../../agent/backtest/backtest-report.ts';
import type { OutlinedDecision, RunOutline } from '../../agent/backtest/outline.ts';
import { noUsage } from '../../agent/values/vocabulary.ts';
import { progressBar, reportLines, verdictWords } from '../../cli/print/backtest-report-lines.ts';

const search: OutlinedDecision = { type: 'act', actions: [{ tool: 'search', toolInput: { q: 'x' } }] };
const done = (output: string): OutlinedDecision => ({ type: 'finish', output });

function outline(decisions: OutlinedDecision[], ending: Partial<RunOutline['ending']> = {}): RunOutline {
  const last = decisions.at(-1);
  return {
    decisions,
    ending: {
      status: 'completed',
      stopReason: 'final_answer',
      output: last?.type === 'finish' ? last.output : null,
      error: null,
      iterations: decisions.length,
      usage: { ...noUsage, totalTokens: 1000 * decisions.length, modelCalls: decisions.length },
      ...ending,
    },
  };
}

function run(id: string, before: RunOutline, after: RunOutline): BacktestedRun {
  return backtestedRun({ id, runId: 'r', again: `backtest:b/${id}`, input: 'what?' }, before, after);
}

const notRecorded = {
  status: 'failed',
  stopReason: 'error',
  error: { type: 'NotRecorded', message: 'no such call' },
} as const;

const runs = [
  run('same', outline([search, done('a')]), outline([search, done('a')])),
  run('worded', outline([search, done('a')]), outline([search, done('b\nc')])),
  run('shorter', outline([search, done('a')]), outline([done('a')])),
  run('left', outline([search, done('a')]), outline([search, search], notRecorded)),
  unreadRun('gone', 'r', { type: 'RecordingGone', message: 'It is not there.' }),
];

function report(fields: Partial<BacktestReport> = {}): BacktestReport {
  const all = { id: 'b', agent: 'a', model: null, status: 'completed', total: 6, runs } as const;
  return { ...all, runs, totals: totalsOf(fields.runs ?? runs), ...fields };
}

describe('the report of a backtest', () => {
  test('shows what changed side by side, and the sums', () => {
    const lines = reportLines(report(), pc.createColors(false), { write: () => undefined });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "worded  answer differs from step 2
        step before    answer: a
        step after     answer: b c

      shorter  decisions differ from step 1
        step before    search {"q":"x"}
        step after     answer: a
        answer         a

      left  not recorded from step 2
        step before    answer: a
        step after     search {"q":"x"}
        answer before  a
        answer after   NotRecorded: no such call

      gone  failed
        error          RecordingGone: It is not there.

      6 runs: 1 same · 1 answer differs · 1 decisions differ · 1 not recorded · 1 failed · 1 not asked
      tokens: 8,000 before, 7,000 after (-12 %)"
    `);
  });

  test('says what it costs where prices are known', () => {
    const priced = [
      run(
        'priced',
        outline([done('a')], { usage: { ...noUsage, modelCalls: 1, cost: 0.5 } }),
        outline([done('a')], { usage: { ...noUsage, modelCalls: 1, cost: 0.25 } }),
      ),
    ];
    const lines = reportLines(report({ runs: priced, total: 1 }), pc.createColors(false), {
      write: () => undefined,
    });
    expect(lines.at(-1)).toBe('cost: $0.5000 before, $0.2500 after');
  });

  test('keeps to the width of the terminal', () => {
    const lines = reportLines(report(), pc.createColors(false), { write: () => undefined, columns: 40 });
    expect(
      Math.max(...lines.filter((line) => line.startsWith('  ')).map((line) => line.length)),
    ).toBeLessThanOrEqual(40);
  });
});

test.each(runs.map((one) => [one.verdict, one] as const))('%s has its words', (verdict, one) => {
  const words = {
    same: 'same (2 steps)',
    answer: 'answer differs from step 2',
    decisions: 'decisions differ from step 1',
    not_recorded: 'not recorded from step 2',
    failed: 'failed',
  };
  expect(verdictWords(one)).toBe(words[verdict]);
});

test('the bar says how far a backtest is', () => {
  expect(progressBar(report())).toBe('[####################----] 5/6 · 1 same · 4 changed');
  expect(progressBar(report({ runs: [], totals: totalsOf([]) }))).toBe(
    '[------------------------] 0/6 · 0 same · 0 changed',
  );
});
