import { isDeepStrictEqual } from 'node:util';
import type { ScheduleDescription } from '@temporalio/client';
import { plainJson } from '../../../agent/values/values.ts';
import { type SentSchedule, temporalOptions } from './temporal-schedule.ts';

/** Parts of a schedule that the server has otherwise than the config. Empty: nothing to do. */
export function differences(wanted: SentSchedule, found: ScheduleDescription): string[] {
  const { spec, policies, action } = found;
  const want = temporalOptions(wanted, {});
  const parts: [name: string, wanted: unknown, found: unknown][] = [
    ['calendars', want.spec.calendars?.map(withoutStar), spec.calendars],
    ['skip', want.spec.skip?.map(withoutStar), spec.skip],
    ['intervals', want.spec.intervals, spec.intervals],
    ['timezone', want.spec.timezone, spec.timezone === '' ? 'UTC' : (spec.timezone ?? 'UTC')],
    ['startAt', want.spec.startAt, spec.startAt],
    ['endAt', want.spec.endAt, spec.endAt],
    ['jitter', want.spec.jitter, spec.jitter ?? 0],
    ['overlap', want.policies?.overlap, policies.overlap],
    ['catchupWindow', want.policies?.catchupWindow, policies.catchupWindow],
    ['pauseOnFailure', want.policies?.pauseOnFailure, policies.pauseOnFailure],
    ['input', want.action.args?.[0], action.args?.[0]],
    ['workflowType', want.action.workflowType, action.workflowType],
    ['taskQueue', want.action.taskQueue, action.taskQueue],
  ];
  return parts.flatMap(([name, a, b]) => (isDeepStrictEqual(plain(a), plain(b)) ? [] : [name]));
}

/** The server has no range for each year, and an empty comment if none is given. */
function withoutStar(calendar: object): object {
  return { comment: '', ...calendar, ...('year' in calendar && calendar.year === '*' ? { year: [] } : {}) };
}

function plain(value: unknown): unknown {
  return value === undefined ? null : plainJson(value);
}
