import { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { longestWaitFirst } from '../../../../cli/commands/list.ts';
import { moment } from '../../../../cli/options/bulk-options.ts';
import { runsTable } from '../../../../cli/print/runs-table.ts';
import { queryOf } from '../../../../client/read/list-query.ts';
import type { RunSummary } from '../../../../client/read/list-runs.ts';
import {
  type ListOptions,
  checkListOptions,
  haltedStatuses,
  openStatuses,
  runStatuses,
} from '../../../../client/read/run-filters.ts';
import { statusOfListed, waitingOfListed } from '../../../../client/read/run-status.ts';
import type { ListedRun } from '../../../../history/list/listed.ts';

const listed = (more: Partial<ListedRun>): ListedRun => ({
  id: 'r',
  runId: '1',
  taskQueue: 'q',
  executionStatus: 'open',
  pausedInTemporal: undefined,
  mayHavePausedCalls: false,
  startedAt: new Date(0),
  closedAt: null,
  parent: undefined,
  memo: {},
  attributes: {},
  ...more,
});
const SINCE = Date.UTC(2026, 0, 1);
const waiting = [{ call: '3.1', tool: 'report', reason: 'failed', since: SINCE }];
/** It connects when it is asked, and nobody should ask it. */
const nobody = new Client();

describe('a run as the list has it', () => {
  test.each<[string, ListedRun['executionStatus'], wrote: string | undefined, string]>([
    ['what it wrote', 'open', 'waiting', 'waiting'],
    ['that it stopped', 'completed', 'stopped', 'stopped'],
    ['its end, whatever it wrote before', 'completed', 'running', 'completed'],
    ['how Temporal ended it', 'failed', 'waiting', 'failed'],
    ['that it writes none', 'open', undefined, 'running'],
    ['that it ended and wrote none', 'completed', undefined, 'completed'],
  ])(
    'has its status by %s, without its history being read',
    async (_title, executionStatus, wrote, status) => {
      const attributes = wrote === undefined ? { ReloopAgent: 'a' } : { ReloopStatus: wrote };
      expect(await statusOfListed(nobody, listed({ executionStatus, attributes }))).toBe(status);
    },
  );

  test('is paused with a paused call, where it is not said to wait', async () => {
    const paused = [{ call: '1.1', workflowId: 'r', activityId: '1.1' }];
    const running = listed({ attributes: { ReloopAgent: 'a' } });
    expect(await statusOfListed(nobody, running, paused)).toBe('paused');
    expect(await statusOfListed(nobody, listed({ memo: { waiting } }), paused)).toBe('waiting');
    expect(await statusOfListed(nobody, listed({ pausedInTemporal: {}, memo: { waiting } }))).toBe('paused');
    const over = listed({ executionStatus: 'completed', attributes: { ReloopAgent: 'a' } });
    expect(await statusOfListed(nobody, over, paused)).toBe('completed');
  });

  test('has its status by what it says that waits', async () => {
    expect(await statusOfListed(nobody, listed({ memo: { waiting } }))).toBe('waiting');
  });

  test('names the calls that wait, where it has written them down and goes on', () => {
    const noted = waitingOfListed(listed({ memo: { waiting: [...waiting, null] } }));
    expect(noted).toEqual([...waiting, { call: '', tool: '', reason: '' }]);
    expect(waitingOfListed(listed({ memo: { waiting: 'yes' } }))).toEqual([]);
    expect(waitingOfListed(listed({ executionStatus: 'cancelled', memo: { waiting } }))).toEqual([]);
  });

  const run: RunSummary = {
    id: 'r',
    runId: '1',
    agent: 'a',
    input: 'why?',
    status: 'waiting',
    taskQueue: 'q',
    startedAt: new Date(2026, 0, 1),
    closedAt: null,
  };

  test('comes in the order of the longest wait for a person; where that is unknown, last and as before', () => {
    const call = { call: '1.1', tool: 'pay', reason: 'approval' };
    const since = (...times: number[]) => times.map((time) => ({ ...call, since: time }));
    const runs = [
      { ...run, id: 'unknown 1' },
      { ...run, id: 'new', waiting: since(30) },
      { ...run, id: 'unknown 2', waiting: [call] },
      { ...run, id: 'in doubt since 5', waiting: [{ ...call, since: 5, until: 99 }, ...since(20)] },
      { ...run, id: 'old', waiting: since(30, 10) },
    ];
    const order = longestWaitFirst(runs).map(({ id }) => id);
    expect(order).toEqual(['old', 'in doubt since 5', 'new', 'unknown 1', 'unknown 2']);
  });

  test('stands in the table with what waits, where anything does', () => {
    const until = Date.UTC(2026, 0, 1, 11, 10, 50);
    const runs = [
      { ...run, waiting: [...waiting, ...waiting] },
      { ...run, id: 'other' },
      { ...run, id: 'old', waiting: [{ call: '1.1', tool: 'pay', reason: 'approval' }] },
    ];
    expect(runsTable(runs, Infinity, { yellow: String }, SINCE + 14 * 60_000)).toEqual([
      'ID     STATUS   AGENT  STARTED (UTC)        WAITS FOR YOU                   QUESTION',
      'r      waiting  a      2026-01-01 00:00:00  3.1 report failed (+1), 14 min  why?',
      'other  waiting  a      2026-01-01 00:00:00                                  why?',
      'old    waiting  a      2026-01-01 00:00:00  1.1 pay approval                why?',
    ]);
    const doubt = { call: '2.1', tool: 'pay', reason: 'doubt', until };
    expect(runsTable([{ ...run, waiting: [doubt] }])[1]).toMatch(/2\.1 pay doubt until \d\d:10:50/u);
    expect(runsTable([run])[0]).not.toContain('WAITS');
    const pausedCalls = [{ call: '1.1', workflowId: 'r', activityId: '1.1' }];
    expect(runsTable([{ ...run, pausedCalls }])[1]).toContain('1.1 paused in Temporal');
    expect(runsTable([{ ...run, pausedInTemporal: {} }])[1]).toContain('paused in Temporal');
  });

  test.each([
    [100, ['waiting', 'waiting'], 'ID  STATUS   AGENT  STARTED (UTC)        QUESTION'],
    [58, ['waiting', 'waiting'], 'ID  STATUS   AGENT  STARTED           QUESTION'],
    [48, ['waiting', 'waiting'], 'ID  AGENT  STARTED           QUESTION'],
    [48, ['waiting', 'running'], 'ID  STATUS   AGENT  STARTED           QUESTION'],
  ] as const)('keeps the question in a table of %i cells', (width, statuses, head) => {
    const runs = statuses.map((status, index) => ({ ...run, id: `r${index}`, status }));
    const lines = runsTable(runs, width);
    expect(lines[0]).toBe(head);
    expect(lines[1]).toMatch(/2026-01-01 00:00(?::00)? +why\?$/u);
  });
});

const ALL = 'WorkflowType = "agentRun" AND ExecutionStatus != "ContinuedAsNew"';
const conditions = (filters: ListOptions, indexed = true) =>
  queryOf(filters, indexed)
    .slice(ALL.length)
    .replace(/^ AND /u, '');

const STOPPED = '(ExecutionStatus = "Completed" AND (ReloopStatus IN ("stopped") OR ReloopAgent IS NULL))';
const RUNNING = '(CloseTime IS NULL AND (ReloopStatus IS NULL OR ReloopStatus NOT IN ("waiting", "paused")))';
const NOT_DONE = '(CloseTime IS NULL OR ExecutionStatus IN ("Failed", "Terminated", "TimedOut"))';
const BETWEEN = 'StartTime >= "1970-01-01T00:00:00.000Z" AND StartTime < "1970-01-01T00:00:01.000Z"';
const COMPLETED = 'ExecutionStatus = "Completed"';
const KNOWN = 'Known: running, waiting, paused, completed, stopped, failed, cancelled';

describe('the query for the list of runs', () => {
  test.each<[string, ListOptions, string]>([
    ['nothing', {}, ''],
    ['every status', { status: runStatuses }, ''],
    ['a status that Temporal has too', { status: 'cancelled' }, 'ExecutionStatus = "Canceled"'],
    ['a status that the run writes', { status: 'stopped' }, STOPPED],
    ['a status of Temporal that some runs call otherwise', { status: 'running' }, RUNNING],
    ['statuses that together are one of Temporal', { status: ['completed', 'stopped'] }, COMPLETED],
    ['statuses of several kinds', { status: [...openStatuses, 'failed'] }, NOT_DONE],
    ['an agent', { agent: "it's" }, '(ReloopAgent = "it\'s" OR ReloopAgent IS NULL)'],
    ['a session', { session: 's' }, '(ReloopSession = "s" OR ReloopAgent IS NULL)'],
    ['times', { since: new Date(0), until: new Date(1000) }, BETWEEN],
    ['a text, which the server cannot look for', { text: 'x' }, ''],
  ])('asks for %s', (_title, filters, query) => {
    expect(conditions(filters)).toBe(query);
  });

  test('never has a running run among those in which calls wait', () => {
    expect(haltedStatuses).toContain('waiting');
    expect(conditions({ status: haltedStatuses })).toBe(
      '(CloseTime IS NULL AND (ReloopStatus IN ("waiting", "paused") OR ReloopAgent IS NULL OR TemporalPauseInfo IS NOT NULL))',
    );
  });

  test.each(['a"b', 'a\\', 'a\nb', 'x" OR ReloopAgent != "'])('leaves %j to be looked at here', (agent) => {
    expect(conditions({ agent, session: agent })).toBe('');
  });

  test('has no attributes where the server knows none', () => {
    const filters: ListOptions = { status: 'waiting', agent: 'a', session: 's' };
    expect(conditions(filters)).toContain('Reloop');
    expect(conditions(filters, false)).toBe('CloseTime IS NULL');
  });
});

describe('filters', () => {
  test.each<[string, object, string]>([
    ['an unknown status', { status: 'waitin' }, KNOWN],
    ['an empty agent', { agent: ' ' }, 'agent is empty'],
    ['a time that is none', { since: new Date('x') }, 'since is not a time'],
    ['an end before the beginning', { since: new Date(2), until: new Date(1) }, 'since is not before until'],
    ['a limit that is none', { limit: 0 }, 'limit is 0'],
  ])('are refused for %s, saying what to do', (_title, filters, part) => {
    expect(() => checkListOptions(filters as ListOptions)).toThrow(part); // as plain JavaScript may call it
  });

  test('may be left out', () => {
    expect(() => checkListOptions({ agent: undefined, page: undefined, limit: 1 })).not.toThrow();
  });
});

describe('a moment, as typed', () => {
  test.each([
    ['30s', 30_000],
    ['90m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2 d', 172_800_000],
  ])('%s is that long ago', (text, ms) => {
    const before = Date.now();
    const time = moment(text).getTime();
    expect(time).toBeGreaterThanOrEqual(before - ms);
    expect(time).toBeLessThanOrEqual(Date.now() - ms);
  });

  test.each([
    ['2026-11-20', new Date(2026, 10, 20)],
    ['2026-11-20 14:30', new Date(2026, 10, 20, 14, 30)],
    ['2026-11-20T14:30:05', new Date(2026, 10, 20, 14, 30, 5)],
    ['2026-11-20T14:30Z', new Date(Date.UTC(2026, 10, 20, 14, 30))],
    ['2026-11-20T14:30+02:00', new Date(Date.UTC(2026, 10, 20, 12, 30))],
  ])('%s is a time, here where no zone is written', (text, date) => {
    expect(moment(text)).toEqual(date);
  });

  const others = '1 yesterday 2026 2026-13-01 2026-02-30 2026-11-20T25:00 -1h 20.11.2026'.split(' ');
  test.each(['', ...others])('"%s" is none', (text) => {
    expect(() => moment(text)).toThrow('Write 30m, 1h, 2d, 2026-11-20 or 2026-11-20T14:30.');
  });
});
