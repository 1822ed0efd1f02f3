import { describe, expect, test } from 'vitest';
import {
  type BacktestedRun,
  type BacktestReport,
  backtestedRun,
  totalsOf,
  unreadRun,
} from '../../../../agent/backtest/backtest-report.ts';
import { type Verdict, compareRuns } from '../../../../agent/backtest/compare-runs.ts';
import {
  type RunEnding,
  type RunOutline,
  addToOutline,
  emptyOutline,
} from '../../../../agent/backtest/outline.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { followBacktest, leftBacktest } from '../../../../cli/follow/follow-backtest.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { answer, call, outline } from '../../../support/outlined-runs.ts';
import { offlineContext } from '../../../support/offline-context.ts';
import { answers, atSeconds, decides, observes, started } from '../../../support/run-events.ts';

const why = (type: string) => ({ type, message: 'why' });
const fails = (type: string): Partial<RunEnding> => ({
  status: 'failed',
  stopReason: 'error',
  error: why(type),
});
const stops: Partial<RunEnding> = {
  status: 'stopped',
  stopReason: 'max_iterations',
  output: 'Agent stopped.',
};
const search = call('search', 'x');
const recorded = outline([search, answer('done')]);
const [stopped, failed] = [outline([search], stops), outline([search], fails('A'))];
const direct = outline([search], { output: 1, stopReason: 'return_direct' });
const left = outline([call('look', 'x')], fails('NotRecorded'));
const [sorted, unsorted] = [outline([call('t', { a: 1, b: 2 })]), outline([call('t', { b: 2, a: 1 })])];

describe('two runs', () => {
  test.each<[string, RunOutline, RunOutline, Verdict, number, number | undefined]>([
    ['that decide alike', recorded, outline([search, answer('done')]), 'same', 2, undefined],
    ['with fields in another order', sorted, unsorted, 'same', 1, undefined],
    ['with another answer', recorded, outline([search, answer('other')]), 'answer', 1, 2],
    ['with another input', recorded, outline([call('search', 'y'), answer('done')]), 'decisions', 0, 1],
    ['with another tool', recorded, outline([call('look', 'x'), answer('done')]), 'decisions', 0, 1],
    ['of which one answers earlier', recorded, outline([answer('done')]), 'decisions', 0, 1],
    ['of which one is stopped', recorded, stopped, 'decisions', 1, 2],
    ['of which one left the recording', recorded, left, 'not_recorded', 0, 1],
    ['of which one fails', recorded, outline([search], fails('ModelError')), 'failed', 1, 2],
    ['that fail alike', failed, outline([search], fails('A')), 'same', 1, undefined],
    ['that fail of something else', failed, outline([search], fails('B')), 'failed', 1, undefined],
    ['of which one does not fail any more', failed, recorded, 'decisions', 1, 2],
    ['that end otherwise after the same decisions', stopped, direct, 'answer', 1, undefined],
  ])('%s', (_, before, after, verdict, sameSteps, difference) => {
    const compared = compareRuns(before, after);
    expect({ ...compared, difference: compared.difference?.step }).toEqual({
      verdict,
      sameSteps,
      difference,
    });
  });

  test('are shown side by side where they part, and null where one was over', () => {
    const { difference } = compareRuns(recorded, stopped);
    expect(difference).toEqual({ step: 2, before: answer('done'), after: null });
  });
});

test('the outline of a run is what its events say, without the words of the model', () => {
  const made = emptyOutline();
  for (const event of atSeconds(
    started,
    ...decides('1', 'search', 'x'),
    observes('1.1', 'search', 'x', 'found'),
    ...answers('2', 'done'),
  )) {
    addToOutline(made, event);
  }
  expect(made).toMatchObject({ ...recorded, ending: { status: 'completed', output: 'done', iterations: 2 } });
  expect(made.ending.usage).toMatchObject({ totalTokens: 730, modelCalls: 2 });
});

describe('a backtested run', () => {
  const place = { id: 'r', runId: 'run', again: 'backtest:b/r', input: 'what?' };

  test('is cut where it is long, after it was compared', () => {
    const long = 'x'.repeat(10_000);
    const run = backtestedRun(place, outline([answer(`${long}a`)]), outline([answer(`${long}b`)]));
    expect(run.verdict).toBe('answer');
    expect(JSON.stringify(run).length).toBeLessThan(20_000);
    expect(run.before?.output).toEqual(expect.stringMatching(/^x{4000}\D/u));
  });

  test('counts as changed unless it is the same', () => {
    const same = backtestedRun(place, recorded, recorded);
    const cheaper = outline([answer('done')], { usage: { ...noUsage, totalTokens: 7 } });
    const other = backtestedRun(place, recorded, cheaper);
    const unread = unreadRun('r', 'run', { type: 'RecordingGone', message: 'gone' });
    const verdicts = { same: 1, answer: 0, decisions: 1, not_recorded: 0, failed: 1, changed: 2 };
    const usage = { before: noUsage, after: { ...noUsage, totalTokens: 7 } };
    expect(totalsOf([same, other, unread])).toEqual({ ...verdicts, ...usage });
  });
});

const context = offlineContext();
const failedRun = unreadRun('two', 'r', { type: 'T', message: 'm' });
const same: BacktestedRun = { ...failedRun, id: 'one', verdict: 'same', sameSteps: 3 };

function reportOf(...runs: BacktestedRun[]): BacktestReport {
  return { id: 'b', agent: 'a', model: null, status: 'running', total: 2, runs, totals: totalsOf(runs) };
}

/** A backtest of two runs; without an end it goes on for ever. */
function fakeBacktest(ends: boolean) {
  return {
    workflowId: 'backtest:b',
    async *progress() {
      yield { report: reportOf(), compared: undefined };
      yield { report: reportOf(same), compared: same };
      yield { report: reportOf(same, failedRun), compared: failedRun };
      if (!ends) await new Promise(() => undefined);
    },
    describe: () => Promise.reject(new Error('nobody asked')),
    cancel: () => Promise.reject(new Error('nobody asked')),
  };
}

describe('a backtest that is followed', () => {
  test('has a line for each run where there is no terminal', async () => {
    const io = fakeIo();
    const followed = await followBacktest(io, context, fakeBacktest(true));
    expect(followed).toEqual(reportOf(same, failedRun));
    expect(io.err()).toBe('1/2  one  same (3 steps)\n2/2  two  failed\n');
    expect(io.out()).toBe('');
  });

  test('has a bar on a terminal, and lines for the runs that have changed', async () => {
    const io = fakeIo({ terminal: true, columns: 60 });
    await followBacktest(io, context, fakeBacktest(true));
    expect(io.err()).toContain('[------------------------] 0/2 · 0 same · 0 changed\n');
    expect(io.err()).toContain('[############------------] 1/2 · 1 same · 0 changed\n');
    expect(io.err()).toContain('2/2  two  failed\n');
    expect(io.err()).not.toContain('one  same');
  });

  test('is left where it is by Ctrl-C', async () => {
    const io = fakeIo();
    const following = followBacktest(io, context, fakeBacktest(false));
    await new Promise((resolve) => setImmediate(resolve));
    io.signal('SIGINT');
    const left = await following;
    expect(left).toEqual({ type: 'left', why: 'SIGINT' });
    const how = { agent: 'my agent', id: 'b', isOnlyWorker: false, flags: ['--config', 'x.ts'] };
    expect(leftBacktest(io, { type: 'left', why: 'SIGINT' }, how)).toBe(130);
    expect(io.err()).toContain("reloop backtest 'my agent' --id b --config x.ts`\n");
    expect(leftBacktest(io, { type: 'left', why: 'SIGTERM' }, { ...how, isOnlyWorker: true })).toBe(143);
    expect(io.err()).toContain(
      "This command was the backtest's worker. The backtest continues when another one starts: `",
    );
  });
});
