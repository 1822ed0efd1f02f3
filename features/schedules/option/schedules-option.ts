import { z } from 'zod/v4';
import { checkSchedule } from '../rules/check-schedule.ts';
import type { FreshStart } from '../../../agent/start/run-start.ts';
import { type CalendarFieldName, fieldNames } from '../rules/calendar-fields.ts';
import {
  type IntervalSpec,
  type ScheduleDefinition,
  type SchedulePolicies,
  type ScheduleSpec,
  overlapPolicies,
} from '../rules/schedule-definition.ts';
import { ConfigError } from '../../../config/define.ts';
import { duration } from '../../../config/options/duration.ts';
import { options } from '../../../config/options/options.ts';

const time = z.date('is not a time: give a Date').optional();
const calendarFields = Object.fromEntries(
  fieldNames.map((name): [CalendarFieldName, z.ZodType] => [name, z.unknown().optional()]),
);
const calendar = options({ ...calendarFields, comment: z.string().optional() });

const specShape = {
  cronExpressions: z.array(z.string()).optional(),
  calendars: z.array(calendar).optional(),
  intervals: z
    .array(options({ every: duration, offset: duration.optional() } satisfies Shape<IntervalSpec>))
    .optional(),
  skip: z.array(calendar).optional(),
  timezone: z.string().optional(),
  startAt: time,
  endAt: time,
  jitter: duration.optional(),
} satisfies Shape<ScheduleSpec>;

const policiesShape = {
  overlap: z.enum(overlapPolicies, `is none of ${overlapPolicies.join(', ')}`).optional(),
  catchupWindow: duration.optional(),
  pauseOnFailure: z.boolean().optional(),
} satisfies Shape<SchedulePolicies>;

type Shape<T> = { [K in keyof T]-?: z.ZodType };

/** The other fields are those of a start, which has its own check. */
export const schedulesSchema = z.record(
  z.string().min(1, 'is an empty name'),
  z.looseObject({ spec: options(specShape), policies: options(policiesShape).optional() }),
);

/** Throws {@link ConfigError} for times that cannot be, and for a start that its agent does not take. */
export function checkSchedules(
  schedules: { readonly [name: string]: ScheduleDefinition } = {},
  checkStart: (start: FreshStart) => void,
): void {
  for (const [name, definition] of Object.entries(schedules)) {
    try {
      checkSchedule(name, definition).starts.forEach((start) => checkStart(start));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const where = `Schedule "${name}": `;
      throw new ConfigError(problem.startsWith(where) ? problem : where + problem, { cause: error });
    }
  }
}
