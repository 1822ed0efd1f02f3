import { describe, expect, test } from 'vitest';
import type { Calendar } from '../../../../../features/schedules/rules/calendar-fields.ts';
import { compilePolicies, compileSpec } from '../../../../../features/schedules/rules/compile-spec.ts';
import { readCron } from '../../../../../features/schedules/rules/cron.ts';
import type { ScheduleSpec } from '../../../../../features/schedules/rules/schedule-definition.ts';
import { loadedConfig, problemOf } from '../../../../support/config.ts';

/** Fields of a calendar as cron writes them, in the order of seven fields. */
function shown({ comment: _, ...calendar }: Calendar): string {
  return Object.values(calendar)
    .map((ranges) => ranges.map(({ start, end, step }) => `${start}-${end}/${step}`).join(',') || '*')
    .join(' ');
}

describe('a cron expression', () => {
  const ALL_DAYS = '1-31/1 1-12/1';
  test.each([
    ['0 7 * * *', `0-0/1 0-0/1 7-7/1 ${ALL_DAYS} 0-6/1 *`],
    ['*/15 9-17 * * MON-FRI', `0-0/1 0-59/15 9-17/1 ${ALL_DAYS} 1-5/1 *`],
    ['5/20 0 1,15 jan *', '0-0/1 5-59/20 0-0/1 1-1/1,15-15/1 1-1/1 0-6/1 *'],
    ['0 0 * * 5-7', `0-0/1 0-0/1 0-0/1 ${ALL_DAYS} 0-0/1,5-6/1 *`],
    ['0 0 * * 7', `0-0/1 0-0/1 0-0/1 ${ALL_DAYS} 0-0/1 *`],
    ['0 12 * * * 2030', `0-0/1 0-0/1 12-12/1 ${ALL_DAYS} 0-6/1 2030-2030/1`],
    ['30 0 12 * * * 2030-2032', `30-30/1 0-0/1 12-12/1 ${ALL_DAYS} 0-6/1 2030-2032/1`],
    ['@daily', `0-0/1 0-0/1 0-0/1 ${ALL_DAYS} 0-6/1 *`],
  ])('%s is a calendar', (cron, calendar) => {
    expect(shown(readCron(cron))).toBe(calendar);
  });

  test.each([
    ['every morning', '2 fields; five are needed'],
    ['', 'no fields; five are needed'],
    ['60 7 * * *', '"60" is not a minute: 0 to 59'],
    ['0 7 * * MO', '"MO" is not a dayOfWeek: SUNDAY to SATURDAY'],
    ['0 7 ? * *', '"?" is not a dayOfMonth'],
    ['0 */0 * * *', '"*/0" is not an hour'],
    ['0 17-9 * * *', '"17-9" ends before it starts'],
    ['CRON_TZ=UTC 0 7 * * *', 'the time zone is a separate option'],
    ['@every 10m', 'write an interval instead'],
  ])('%j is refused with a sentence', (cron, sentence) => {
    expect(() => readCron(cron)).toThrow(sentence);
  });
});

describe('the times of a schedule', () => {
  const cronExpressions = ['0 7 * * *'];
  test.each<[spec: ScheduleSpec, sentence: string]>([
    [{}, 'spec has no times'],
    [{ cronExpressions, timezone: 'Berlin' }, 'timezone "Berlin" is not an IANA time zone'],
    [{ cronExpressions, timezone: '+02:00' }, 'is not an IANA time zone'],
    [{ cronExpressions, jitter: 'long' }, 'jitter has to be a duration'],
    [{ intervals: [{ every: 10 }] }, 'every has to be a duration of at least 1s'],
    [{ cronExpressions, startAt: new Date(2), endAt: new Date(1) }, 'endAt is before startAt'],
    [{ calendars: [{ hour: 24 }] }, 'calendar: 24 is not an hour: 0 to 23'],
    [{ calendars: [{ minute: { start: 30, end: 10 } }] }, 'is not a minute'],
  ])('%j are refused', (spec, sentence) => {
    expect(() => compileSpec(spec)).toThrow(sentence);
  });

  test('a calendar has 0 for the smaller fields, and each value for the larger ones', () => {
    const { calendars } = compileSpec({ calendars: [{ hour: [8, { start: 12, end: 18, step: 2 }] }] });
    expect(calendars.map(shown)).toEqual(['0-0/1 0-0/1 8-8/1,12-18/2 1-31/1 1-12/1 0-6/1 *']);
  });

  test('a catch-up window below that of the server is refused', () => {
    expect(() => compilePolicies({ catchupWindow: '5s' })).toThrow('at least 10s');
  });
});

describe('schedules of a config', () => {
  const agents = [{ name: 'helper', model: 'm' }];
  const spec = { cronExpressions: ['0 7 * * *'] };
  const config = (schedule: object) => ({ agents, schedules: { daily: schedule } });
  test.each([
    [{ agent: 'helper', input: 'Hello?' }, 'schedules.daily.spec: is missing'],
    [
      { agent: 'nobody', input: 'Hello?', spec },
      'Schedule "daily": there is no agent "nobody". The config has: helper.',
    ],
    [{ agent: 'helper', question: 'Hello?', spec }, 'Schedule "daily": agentRun: question is an object'],
    [{ agent: 'helper', input: 'Hello?', spec: { cron: 'x' } }, 'schedules.daily.spec: unknown option cron'],
    [
      { agent: 'helper', input: 'Hello?', spec, policies: { overlap: 'WAIT' } },
      'policies.overlap: is none of SKIP',
    ],
    [{ agent: 'helper', input: 'Hello?', spec, budget: { cost: 1 } }, 'Schedule "daily": '],
    [
      { agent: 'helper', input: 'Hello?', spec, context: { user: 'a' } },
      'Schedule "daily": a context was given',
    ],
  ])('%j is refused when the config is loaded', (schedule, sentence) => {
    expect(problemOf(config(schedule))).toContain(sentence);
  });

  test('are part of the loaded config', () => {
    const schedule = { agent: 'helper', input: 'Hello?', spec };
    expect(loadedConfig(config(schedule)).schedules).toEqual({ daily: schedule });
  });
});
