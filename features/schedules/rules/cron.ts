import { InvalidInput } from '../../../agent/values/refusal.ts';
import { boundedText } from '../../../agent/values/values.ts';
import {
  type Calendar,
  type CalendarFieldName,
  type CalendarRange,
  allValues,
  fieldNames,
  fieldRules,
} from './calendar-fields.ts';

const shorthands: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const FIVE = fieldNames.slice(1, -1);
const orders: { readonly [fields: number]: readonly CalendarFieldName[] } = {
  5: FIVE,
  6: [...FIVE, 'year'],
  7: fieldNames,
};

/** The calendar that Temporal makes of a cron expression. Throws InvalidInput. */
export function readCron(expression: string): Calendar {
  const text = expression.trim();
  const refuse = (why: string) => new InvalidInput(`cron "${boundedText(text, 100)}": ${why}`);
  if (/^(?:CRON_)?TZ=/u.test(text)) throw refuse('the time zone is a separate option, timezone.');
  if (text.startsWith('@every')) throw refuse("write an interval instead, such as { every: '10m' }.");
  const fields = (shorthands[text.toLowerCase()] ?? text).split(/\s+/u);
  const order = orders[fields.length];
  if (order === undefined || text === '') {
    throw refuse(
      `${text === '' ? 'no fields' : `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`}; five are needed: minute, hour, day of the month, month, day of the week. A year may be after them, and then a second before them.`,
    );
  }
  const read = (name: CalendarFieldName): readonly CalendarRange[] => {
    const field = fields[order.indexOf(name)];
    if (field === undefined) return name === 'second' ? [{ start: 0, end: 0, step: 1 }] : allValues(name);
    return field.split(',').flatMap((part) => readPart(part, name, refuse));
  };
  const byName = Object.fromEntries(fieldNames.map((name) => [name, read(name)]));
  return { ...(byName as Omit<Calendar, 'comment'>), comment: text }; // has every name
}

function readPart(
  part: string,
  name: CalendarFieldName,
  refuse: (why: string) => InvalidInput,
): CalendarRange[] {
  const { min, max } = fieldRules[name];
  const [, from = '', to, by] = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d+))?$/u.exec(part) ?? [];
  const step = Number(by ?? 1);
  const isWrong = () =>
    refuse(
      `"${part}" is not ${/^[aeiou]|^hour/u.test(name) ? 'an' : 'a'} ${name}: ${valuesOf(name)}, a range such as a-b, or */n.`,
    );
  if (step < 1) throw isWrong();
  if (from === '*') {
    if (to !== undefined) throw isWrong();
    return by === undefined ? allValues(name) : [{ start: min, end: max, step }];
  }
  const start = readValue(from, name);
  // A single value with a step is the first value of a range.
  const end = to === undefined ? (by === undefined ? start : max) : readValue(to, name);
  if (start === undefined || end === undefined) throw isWrong();
  if (end < start) throw refuse(`"${part}" ends before it starts.`);
  if (name !== 'dayOfWeek' || end <= max) return [{ start, end, step }];
  const sunday = { start: 0, end: 0, step: 1 };
  if (start > max) return [sunday];
  return [...((end - start) % step === 0 ? [sunday] : []), { start, end: max, step }];
}

/** The value of a number or a name of at least three letters. Sunday is 0 and 7. */
function readValue(text: string, name: CalendarFieldName): number | undefined {
  const { min, max, names = [] } = fieldRules[name];
  const last = name === 'dayOfWeek' ? 7 : max;
  if (/^\d+$/u.test(text)) return Number(text) >= min && Number(text) <= last ? Number(text) : undefined;
  const index = text.length < 3 ? -1 : names.findIndex((one) => one.startsWith(text.toUpperCase()));
  return index < 0 ? undefined : index + min;
}

/** The values of a field in words. */
export function valuesOf(name: CalendarFieldName): string {
  const { min, max, names } = fieldRules[name];
  return names === undefined ? `${min} to ${max}` : `${names[0]} to ${names.at(-1)}`;
}
