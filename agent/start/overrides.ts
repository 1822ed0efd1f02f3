import { InvalidInput } from '../values/refusal.ts';
import { isObject } from '../values/json-object.ts';
import { boundedText } from '../values/values.ts';
import { type Check, type RunOverrides, type StartOverrides, startFieldList } from './start-fields.ts';

export type { RunOverrides, StartOverrides } from './start-fields.ts';

/** The fields of the list that override those of the agent. */
const all = startFieldList.flatMap((field) =>
  'check' in field
    ? [{ ...field, recordedAs: field.recordedAs ?? field.name, nullable: field.nullable === true }]
    : [],
);

/** Overrides that may be null. */
export const NULLABLE_OVERRIDES: readonly string[] = all
  .filter(({ nullable }) => nullable)
  .map(({ name }) => name);

/** Checks by the recorded name, `budget.cost` for a field of a field. */
const checks = new Map(
  all.flatMap(({ recordedAs, check }): [string, Check][] =>
    isCheck(check)
      ? [[recordedAs, check]]
      : Object.entries(check).map(([field, one]) => [`${recordedAs}.${field}`, one]),
  ),
);

/** Overrides that are objects. */
const parents: ReadonlySet<string> = new Set(
  all.flatMap(({ recordedAs, check }) => (isCheck(check) ? [] : [recordedAs])),
);

/** Problem of recorded overrides in one sentence; undefined if there is none. They may come from any program. */
export function checkOverrides(value: unknown): string | undefined {
  const names = [...checks.keys()].join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `The overrides of a run are an object of ${names}.`;
  }
  for (const [name, given] of Object.entries(value).flatMap(withFields)) {
    const known = checks.get(name);
    if (known === undefined) return `A run cannot override ${JSON.stringify(name)}, only ${names}.`;
    if (given !== undefined && !known.fits(given))
      return `${name} has to be ${known.rule}, but is ${shown(given)}.`;
  }
  return undefined;
}

/** The overrides in the options of a start, which may have others too. Throws InvalidInput. */
export function overridesOf(given: { readonly [O in keyof StartOverrides]?: unknown }): RunOverrides {
  const fields: { readonly [name: string]: unknown } = given;
  const recorded = Object.fromEntries(
    all.flatMap(({ name, recordedAs }) => {
      const value = fields[name];
      return value === undefined ? [] : [[recordedAs, value]];
    }),
  );
  const problem = checkOverrides(recorded);
  if (problem === undefined) return recorded;
  throw new InvalidInput(
    all.reduce((text, { name, recordedAs }) => text.replaceAll(recordedAs, name), problem),
  );
}

function withFields([name, given]: [string, unknown]): [name: string, given: unknown][] {
  if (!parents.has(name) || !(isObject(given) || given === undefined)) return [[name, given]];
  return Object.entries(given ?? {}).map(([field, value]) => [`${name}.${field}`, value]);
}

function isCheck(check: Check | { readonly [field: string]: Check }): check is Check {
  return typeof check['rule'] === 'string';
}

function shown(value: unknown): string {
  return boundedText(typeof value === 'string' ? JSON.stringify(value) : value, 100);
}
