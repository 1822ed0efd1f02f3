import { describe, expect, test } from 'vitest';
import { queryOf } from '../../client/list-query.ts';
import {
  type ListOptions,
  checkListOptions,
  haltedStatuses,
  openStatuses,
  runStatuses,
} from '../../client/run-filters.ts';

const ALL = 'WorkflowType = "agentRun" AND ExecutionStatus != "ContinuedAsNew"';
const conditions = (filters: ListOptions, indexed = true) =>
  queryOf(filters, indexed)
    .slice(ALL.length)
    .replace(/^ AND /u, '');

describe('the query for the list of runs', () => {
  test.each<[string, ListOptions, string]>([
    ['nothing', {}, ''],
    ['every status', { status: runStatuses }, ''],
    ['a status that Temporal has too', { status: 'cancelled' }, 'ExecutionStatus = "Canceled"'],
    [
      'a status that the run writes',
      { status: 'stopped' },
      '(ExecutionStatus = "Completed" AND (ReloopStatus IN ("stopped") OR ReloopAgent IS NULL))',
    ],
    [
      'a status of Temporal that some runs have under another name',
      { status: 'running' },
      '(CloseTime IS NULL AND (ReloopStatus IS NULL OR ReloopStatus NOT IN ("waiting", "paused")))',
    ],
    [
      'statuses that together are one of Temporal',
      { status: ['completed', 'stopped'] },
      'ExecutionStatus = "Completed"',
    ],
    [
      'statuses of several kinds',
      { status: [...openStatuses, 'failed'] },
      '(CloseTime IS NULL OR ExecutionStatus IN ("Failed", "Terminated", "TimedOut"))',
    ],
    ['an agent', { agent: "it's" }, '(ReloopAgent = "it\'s" OR ReloopAgent IS NULL)'],
    ['a session', { session: 's' }, '(ReloopSession = "s" OR ReloopAgent IS NULL)'],
    [
      'times',
      { since: new Date(0), until: new Date(1000) },
      'StartTime >= "1970-01-01T00:00:00.000Z" AND StartTime < "1970-01-01T00:00:01.000Z"',
    ],
    ['a text, which the server cannot look for', { text: 'x' }, ''],
  ])('asks for %s', (_title, filters, query) => {
    expect(conditions(filters)).toBe(query);
  });

  test('never has a running run among those in which calls wait', () => {
    expect(haltedStatuses).toContain('waiting');
    expect(conditions({ status: haltedStatuses })).toBe(
      '(CloseTime IS NULL AND (ReloopStatus IN ("waiting", "paused") OR ReloopAgent IS NULL))',
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
    [
      'an unknown status',
      { status: 'waitin' },
      'Known: running, waiting, paused, completed, stopped, failed, cancelled',
    ],
    ['an empty agent', { agent: ' ' }, 'agent is empty'],
    ['a time that is none', { since: new Date('x') }, 'since is no time'],
    ['an end before the beginning', { since: new Date(2), until: new Date(1) }, 'since is not before until'],
    ['a limit that is none', { limit: 0 }, 'limit is 0'],
  ])('are refused for %s, saying what to do', (_title, filters, part) => {
    expect(() => checkListOptions(filters as ListOptions)).toThrow(part); // as plain JavaScript may call it
  });

  test('may be left out', () => {
    expect(() => checkListOptions({ agent: undefined, page: undefined, limit: 1 })).not.toThrow();
  });
});
