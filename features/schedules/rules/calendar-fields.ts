import { type CalendarSpec, daysOfWeek, months } from './schedule-definition.ts';

/** Values of one field of a calendar. */
export interface CalendarRange {
  start: number;
  end: number;
  step: number;
}

export type CalendarFieldName = Exclude<keyof CalendarSpec, 'comment'>;

/** A calendar with all its fields. No range for the year: each year. */
export type Calendar = { readonly [F in CalendarFieldName]: readonly CalendarRange[] } & {
  comment?: string | undefined;
};

interface FieldRule {
  min: number;
  max: number;
  /** Names of the values, from `min` on. */
  names?: readonly string[];
  /** A calendar without the field matches this value only. */
  usual?: number;
}

/** Fields in the order of a cron expression of seven fields. */
export const fieldRules: { readonly [F in CalendarFieldName]: FieldRule } = {
  second: { min: 0, max: 59, usual: 0 },
  minute: { min: 0, max: 59, usual: 0 },
  hour: { min: 0, max: 23, usual: 0 },
  dayOfMonth: { min: 1, max: 31 },
  month: { min: 1, max: 12, names: months },
  dayOfWeek: { min: 0, max: 6, names: daysOfWeek },
  year: { min: 2000, max: 2100 },
};

export const fieldNames = Object.keys(fieldRules) as CalendarFieldName[]; // the keys of the literal above

export function allValues(name: CalendarFieldName): CalendarRange[] {
  const { min, max } = fieldRules[name];
  return name === 'year' ? [] : [{ start: min, end: max, step: 1 }];
}
