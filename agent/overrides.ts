import type { Budget } from './budget.ts';
import { isObject } from './json-object.ts';
import { limits } from './limits.ts';
import { boundedText } from './values.ts';

/** What a single run may change of its agent. Recorded; under these names it overrides the fields of the manifest. */
export interface RunOverrides {
  model?: string | undefined;
  maxIterations?: number | null | undefined;
  maxExecutionTimeMs?: number | null | undefined;
  /** A limit that is not given stays the agent's. */
  budget?: Budget | undefined;
}

/** A field of the overrides, or one of a field that has some. */
type Override = Exclude<keyof RunOverrides, 'budget'> | `budget.${keyof Budget}`;

/** Each with the rule it keeps. */
const rules: { [O in Override]: { fits(value: unknown): boolean; rule: string } } = {
  model: {
    fits: (value) => typeof value === 'string' && value.trim() !== '',
    rule: 'the name of a model',
  },
  maxIterations: {
    fits: (value) => value === null || isNatural(value),
    rule: 'a whole number, or null for no limit',
  },
  maxExecutionTimeMs: {
    fits: (value) => value === null || (isNatural(value) && value <= limits.timerMs),
    rule: `a whole number of milliseconds up to ${limits.timerMs} (24 days), or null for no limit`,
  },
  'budget.totalTokens': {
    fits: (value) => value === null || isNatural(value),
    rule: 'a whole number of tokens, or null for no limit',
  },
  'budget.cost': {
    fits: (value) => value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0),
    rule: 'an amount of US dollars from 0, or null for no limit',
  },
};

/** What is wrong with overrides, as one sentence; undefined if nothing is. They may come from anywhere. */
export function checkOverrides(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `The overrides of a run are an object of ${names()}.`;
  }
  for (const [name, given] of Object.entries(value).flatMap(withFields)) {
    const known = isOverride(name) ? rules[name] : undefined;
    if (known === undefined) return `A run cannot override ${JSON.stringify(name)}, only ${names()}.`;
    if (given !== undefined && !known.fits(given))
      return `${name} has to be ${known.rule}, but is ${shown(given)}.`;
  }
  return undefined;
}

/** The limits of a budget are overrides by themselves. */
function withFields([name, given]: [string, unknown]): [name: string, given: unknown][] {
  if (name !== 'budget' || !(isObject(given) || given === undefined)) return [[name, given]];
  return Object.entries(given ?? {}).map(([field, value]) => [`budget.${field}`, value]);
}

function isNatural(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isOverride(name: string): name is Override {
  return Object.hasOwn(rules, name);
}

function names(): string {
  return Object.keys(rules).join(', ');
}

function shown(value: unknown): string {
  return boundedText(typeof value === 'string' ? JSON.stringify(value) : value, 100);
}
