import { limits } from './limits.ts';
import { boundedText } from './values.ts';

/** What a single run may change of its agent. Recorded; under these names it overrides the fields of the manifest. */
export interface RunOverrides {
  model?: string | undefined;
  maxIterations?: number | null | undefined;
  maxExecutionTimeMs?: number | null | undefined;
}

/** Each with the rule it keeps. */
const rules: { [K in keyof RunOverrides]-?: { fits(value: unknown): boolean; rule: string } } = {
  model: {
    fits: (value) => typeof value === 'string' && value.trim() !== '',
    rule: 'the name of a model',
  },
  maxIterations: {
    fits: (value) => value === null || (isNatural(value) && value <= Number.MAX_SAFE_INTEGER),
    rule: 'a whole number, or null for no limit',
  },
  maxExecutionTimeMs: {
    fits: (value) => value === null || (isNatural(value) && value <= limits.timerMs),
    rule: `a whole number of milliseconds up to ${limits.timerMs} (24 days), or null for no limit`,
  },
};

/** What is wrong with overrides, as one sentence; undefined if nothing is. They may come from anywhere. */
export function checkOverrides(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `The overrides of a run are an object of ${names()}.`;
  }
  for (const [name, given] of Object.entries(value)) {
    const known = isOverride(name) ? rules[name] : undefined;
    if (known === undefined) return `A run cannot override ${JSON.stringify(name)}, only ${names()}.`;
    if (given !== undefined && !known.fits(given))
      return `${name} has to be ${known.rule}, but is ${shown(given)}.`;
  }
  return undefined;
}

function isNatural(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function isOverride(name: string): name is keyof RunOverrides {
  return Object.hasOwn(rules, name);
}

function names(): string {
  return Object.keys(rules).join(', ');
}

function shown(value: unknown): string {
  return boundedText(typeof value === 'string' ? JSON.stringify(value) : value, 100);
}
