import { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { statusOfListed, waitingOfListed } from '../../client/run-status.ts';
import type { RunSummary } from '../../client/list-runs.ts';
import { runsTable } from '../../cli/commands/list.ts';
import type { ListedRun } from '../../history/listed.ts';

const listed = (more: Partial<ListedRun>): ListedRun => ({
  id: 'r',
  runId: '1',
  taskQueue: 'q',
  standing: 'open',
  startedAt: new Date(0),
  closedAt: null,
  parent: undefined,
  memo: {},
  attributes: {},
  ...more,
});
const waiting = [{ call: '3.1', tool: 'report', reason: 'failed' }];
/** It connects when it is asked, and nobody should ask it. */
const nobody = new Client();

describe('a run as the list has it', () => {
  test.each<[string, Partial<ListedRun>, string]>([
    ['what it wrote', { attributes: { ReloopStatus: 'waiting' } }, 'waiting'],
    ['that it stopped', { standing: 'completed', attributes: { ReloopStatus: 'stopped' } }, 'stopped'],
    [
      'its end, whatever it wrote before',
      { standing: 'completed', attributes: { ReloopStatus: 'running' } },
      'completed',
    ],
    ['how Temporal ended it', { standing: 'failed', attributes: { ReloopStatus: 'waiting' } }, 'failed'],
    ['that it writes none', { attributes: { ReloopAgent: 'a' } }, 'running'],
    [
      'that it ended and wrote none',
      { standing: 'completed', attributes: { ReloopAgent: 'a' } },
      'completed',
    ],
    ['what it says that waits', { memo: { waiting } }, 'waiting'],
  ])('has its status by %s, without its history being read', async (_title, more, status) => {
    expect(await statusOfListed(nobody, listed(more))).toBe(status);
  });

  test('names the calls that wait, where it has written them down and goes on', () => {
    expect(waitingOfListed(listed({ memo: { waiting: [...waiting, null] } }))).toEqual([
      ...waiting,
      { call: '', tool: '', reason: '' },
    ]);
    expect(waitingOfListed(listed({ memo: { waiting: 'yes' } }))).toEqual([]);
    expect(waitingOfListed(listed({ standing: 'cancelled', memo: { waiting } }))).toEqual([]);
  });

  test('stands in the table with what waits, where anything does', () => {
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
    expect(
      runsTable([
        { ...run, waiting: [...waiting, ...waiting] },
        { ...run, id: 'other' },
      ]),
    ).toEqual([
      'ID     STATUS   AGENT  STARTED              WAITS FOR YOU           QUESTION',
      'r      waiting  a      2026-01-01 00:00:00  3.1 report failed (+1)  why?',
      'other  waiting  a      2026-01-01 00:00:00                          why?',
    ]);
    expect(runsTable([run])[0]).not.toContain('WAITS');
  });
});
