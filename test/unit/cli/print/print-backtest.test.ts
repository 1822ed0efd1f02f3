import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import {
  type BacktestReport,
  type BacktestedRun,
  backtestedRun,
  totalsOf,
  unreadRun,
} from '../../../../agent/backtest/backtest-report.ts';
import type { OutlinedDecision, RunOutline } from '../../../../agent/backtest/outline.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { reportLines } from '../../../../cli/print/backtest-report-lines.ts';
import { answer, call, outline } from '../../../support/outlined-runs.ts';

const search = call('search', { q: 'x' });

/** A run that decided so. Each decision takes a thousand tokens. */
function decided(...decisions: OutlinedDecision[]): RunOutline {
  const { length } = decisions;
  return outline(decisions, { usage: { ...noUsage, totalTokens: 1000 * length, modelCalls: length } });
}

function run(id: string, before: RunOutline, after: RunOutline): BacktestedRun {
  return backtestedRun({ id, runId: 'r', again: `backtest:b/${id}`, input: 'what?' }, before, after);
}

const left = decided(search, search);
const error = { type: 'NotRecorded', message: 'no such call' };
Object.assign(left.ending, { status: 'failed', stopReason: 'error', error });
const recorded = decided(search, answer('a'));

const runs = [
  run('same', recorded, decided(search, answer('a'))),
  run('worded', recorded, decided(search, answer('b\nc'))),
  run('shorter', recorded, decided(answer('a'))),
  run('left', recorded, left),
  unreadRun('gone', 'r', { type: 'RecordingGone', message: 'It is not there.' }),
];

function report(fields: Partial<BacktestReport> = {}): BacktestReport {
  const all = { id: 'b', agent: 'a', model: null, status: 'completed', total: 6, runs } as const;
  return { ...all, runs, totals: totalsOf(fields.runs ?? runs), ...fields };
}

const linesOf = (one: BacktestReport, columns?: number) =>
  reportLines(one, pc.createColors(false), { write: () => undefined, columns });

describe('the report of a backtest', () => {
  test('shows what changed side by side, and the sums', () => {
    const lines = linesOf(report());
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
    const costing = (cost: number) => outline([answer('a')], { usage: { ...noUsage, modelCalls: 1, cost } });
    const lines = linesOf(report({ runs: [run('priced', costing(0.5), costing(0.25))], total: 1 }));
    expect(lines.at(-1)).toBe('cost: $0.5000 before, $0.2500 after');
  });

  test('keeps to the width of the terminal', () => {
    const indented = linesOf(report(), 40).filter((line) => line.startsWith('  '));
    expect(Math.max(...indented.map((line) => line.length))).toBeLessThanOrEqual(40);
  });
});
