import type { ScheduleOptions, ScheduleSpec as TemporalSpec } from '@temporalio/client';
import type { Calendar, CalendarFieldName } from '../rules/calendar-fields.ts';
import { type CheckedSchedule, checkSchedule } from '../rules/check-schedule.ts';
import type { CompiledSpec } from '../rules/compile-spec.ts';
import { type ScheduleDefinition, daysOfWeek, months } from '../rules/schedule-definition.ts';
import { AGENT_BATCH, AGENT_RUN, runLabels } from '../../../workflows/messages.ts';
import { checkId } from '../../../client/start/run-id.ts';
import type { StartAttributes } from '../../../client/start/start-attributes.ts';

/** A checked schedule, and the task queue of its runs. */
export interface SentSchedule extends CheckedSchedule {
  taskQueue: string;
}

/** Throws InvalidInput with a sentence that names the schedule. */
export function scheduleToSend(
  name: string,
  definition: ScheduleDefinition,
  taskQueue: string,
): SentSchedule {
  checkId(name);
  return { ...checkSchedule(name, definition), taskQueue };
}

/** The part of a schedule that `create` and `update` of Temporal's client take. */
export function temporalOptions(
  { name, spec, policies, input, starts, isBatch, taskQueue }: SentSchedule,
  attributes: StartAttributes,
): Pick<ScheduleOptions, 'spec' | 'policies' | 'action'> {
  const [{ agent, question, overrides }] = starts;
  return {
    spec: temporalSpec(spec),
    policies: { ...policies },
    action: {
      type: 'startWorkflow',
      workflowType: isBatch ? AGENT_BATCH : AGENT_RUN,
      workflowId: name,
      taskQueue,
      args: [input],
      ...runLabels(agent, isBatch ? `${starts.length} questions` : question.input, overrides),
      ...attributes,
    },
  };
}

function temporalSpec({ calendars, skip, startAt, endAt, ...spec }: CompiledSpec): TemporalSpec {
  return {
    ...spec,
    calendars: calendars.map(temporalCalendar),
    skip: skip.map(temporalCalendar),
    ...(startAt && { startAt }),
    ...(endAt && { endAt }),
  };
}

type TemporalCalendar = NonNullable<TemporalSpec['calendars']>[number];

/** Temporal's client takes months and days of the week by name, and '*' for each year. */
function temporalCalendar(calendar: Calendar): TemporalCalendar {
  const { comment, year, month, dayOfWeek } = calendar;
  const numbers = (name: CalendarFieldName) => calendar[name].map((range) => ({ ...range }));
  return {
    second: numbers('second'),
    minute: numbers('minute'),
    hour: numbers('hour'),
    dayOfMonth: numbers('dayOfMonth'),
    year: year.length === 0 ? '*' : numbers('year'),
    month: month.map(({ start, end, step }) => ({ start: monthOf(start), end: monthOf(end), step })),
    dayOfWeek: dayOfWeek.map(({ start, end, step }) => ({ start: dayOf(start), end: dayOf(end), step })),
    ...(comment === undefined ? {} : { comment }),
  };
}

const monthOf = (number: number) => months[number - 1] ?? 'JANUARY';
const dayOf = (number: number) => daysOfWeek[number] ?? 'SUNDAY';
