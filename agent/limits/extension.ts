import type { Allowance } from './counters.ts';
import { typedMs } from '../values/typed-ms.ts';
import { fieldsOnly } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { finiteMs } from '../values/values.ts';
import { refusal } from '../values/refusal.ts';
import { type LimitName, limitNames } from './run-limits.ts';

/** The amounts by which a person raises the limits of a run. */

/** An extension as a person or a program sends it. Durations are milliseconds or texts such as '10m'. */
export interface Extension {
  iterations?: number | undefined;
  time?: number | string | undefined;
  tokens?: number | undefined;
  /** US dollars. */
  cost?: number | undefined;
}

export const EXTENSION_DATA =
  '{"iterations":5}, {"time":"10m"}, {"tokens":10000} or {"cost":0.5}, or several of them';

/** Each limit as it is typed, with the rule for the added amount. */
const fields: { readonly [L in LimitName]-?: LimitField } = {
  iterations: { word: 'iterations', rule: 'a whole number from 1', read: wholeNumber },
  timeMs: { word: 'time', rule: 'a duration such as "10m", or milliseconds, up to 24 days', read: duration },
  tokens: { word: 'tokens', rule: 'a whole number from 1', read: wholeNumber },
  cost: { word: 'cost', rule: 'an amount in US dollars, such as 0.5', read: amount },
};

interface LimitField {
  word: string;
  rule: string;
  read(value: unknown): number | undefined;
}

/** Throws for a value that is not an extension. */
export function readExtension(data: unknown): Allowance {
  const given = fieldsOnly(data, limitWords(limitNames), (problem) => refusal('extend', problem));
  const allowance: Allowance = {};
  for (const name of limitNames) {
    const { word, rule, read } = fields[name];
    const value = given[word];
    if (value === undefined || value === null) continue;
    const number = read(value);
    if (number === undefined) throw refusal('extend', `${word} has to be ${rule}.`);
    allowance[name] = number;
  }
  if (raisedBy(allowance).length > 0) return allowance;
  throw refusal('extend', `say by how much. Data: ${EXTENSION_DATA}.`);
}

/** Both together. */
export function addAllowance(a: Allowance, b: Allowance): Allowance {
  const sum: Allowance = { ...a };
  for (const name of raisedBy(b)) sum[name] = (a[name] ?? 0) + (b[name] ?? 0);
  return sum;
}

export function raisedBy(allowance: Allowance): LimitName[] {
  return limitNames.filter((name) => allowance[name] !== undefined);
}

/** Limits as people type them. */
export function limitWords(names: readonly LimitName[]): string[] {
  return names.map((name) => fields[name].word);
}

function wholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
}

function duration(value: unknown): number | undefined {
  const ms = finiteMs(typeof value === 'string' ? typedMs(value) : value);
  return ms !== undefined && ms > 0 && ms <= limits.timerMs ? ms : undefined;
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}
