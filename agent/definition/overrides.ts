import type { Budget } from './budget.ts';
import { CLIENT_TOOLS_RULE, type ClientTool, areClientTools } from './client-tools.ts';
import { InvalidInput } from '../values/refusal.ts';
import { utf8Length } from '../values/digest.ts';
import { isObject } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import type { RunContext } from './run-context.ts';
import { TAGS_RULE, areTags } from './run-tags.ts';
import { boundedText, isDeeper } from '../values/values.ts';

/** Options of an agent that a single run may override, as a person or a program gives them. */
export interface StartOverrides {
  model?: string | undefined;
  maxIterations?: number | null | undefined;
  /** Milliseconds. */
  maxExecutionTime?: number | null | undefined;
  /** Tokens and US dollars; a limit that is not given stays the agent's. Money takes `prices` in the config. */
  budget?: Budget | undefined;
  /** Facts about the run that tools get as `ctx.context`, as the config's `context` wants them. Sub-agents inherit them. */
  context?: RunContext | undefined;
  /** Texts to filter runs by, 1 to 20 of at most 100 characters. Sub-agents do not inherit them. */
  tags?: readonly string[] | undefined;
  /** Customer or user that the run is for: tenants share the limits of models equally. Sub-agents inherit the tenant. */
  tenant?: string | undefined;
  /** Tools that the caller carries out, for an agent with `clientTools`: docs/client-tools.md. Sub-agents do not have them. */
  clientTools?: readonly ClientTool[] | undefined;
}

/** {@link StartOverrides} as a run records them: under these names they override the fields of the manifest. */
export interface RunOverrides extends Omit<StartOverrides, 'maxExecutionTime'> {
  maxExecutionTimeMs?: number | null | undefined;
}

/** The rule that a value keeps. */
interface Check {
  fits(value: unknown): boolean;
  rule: string;
}

interface Override {
  /** Field of the manifest. Default: the override's name. */
  recordedAs?: keyof RunOverrides;
  /** null is a value, no limit, and not the same as a field that is left out. */
  nullable?: true;
  /** One check, or one for each field of an object. */
  check: Check | { readonly [field: string]: Check };
}

/** The one list of overrides, which starts, forks, sessions and backtests check. */
const overrides: { readonly [O in keyof StartOverrides]-?: Override } = {
  model: {
    check: {
      fits: (value) => typeof value === 'string' && value.trim() !== '',
      rule: 'the name of a model',
    },
  },
  maxIterations: {
    nullable: true,
    check: {
      fits: (value) => value === null || isNatural(value),
      rule: 'a whole number, or null for no limit',
    },
  },
  maxExecutionTime: {
    recordedAs: 'maxExecutionTimeMs',
    nullable: true,
    check: {
      fits: (value) => value === null || (isNatural(value) && value <= limits.timerMs),
      rule: `a whole number of milliseconds up to ${limits.timerMs} (24 days), or null for no limit`,
    },
  },
  budget: {
    check: {
      totalTokens: {
        fits: (value) => value === null || isNatural(value),
        rule: 'a whole number of tokens, or null for no limit',
      },
      cost: {
        fits: (value) =>
          value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0),
        rule: 'an amount of US dollars from 0, or null for no limit',
      },
    } satisfies { [F in keyof Budget]-?: Check },
  },
  context: {
    check: {
      fits: (value) =>
        isObject(value) &&
        !isDeeper(value, limits.jsonDepth) &&
        utf8Length(JSON.stringify(value)) <= limits.contextBytes,
      rule: `an object of at most ${limits.contextBytes} bytes as JSON, nested at most ${limits.jsonDepth} levels deep`,
    },
  },
  tags: { check: { fits: areTags, rule: TAGS_RULE } },
  tenant: {
    check: {
      fits: (value) =>
        typeof value === 'string' &&
        value.trim() !== '' &&
        utf8Length(value) <= limits.tenantBytes &&
        !/\p{Cc}/u.test(value),
      rule: `a text of at most ${limits.tenantBytes} bytes, not empty and without control characters`,
    },
  },
  clientTools: { check: { fits: areClientTools, rule: CLIENT_TOOLS_RULE } },
};

const all = Object.entries(overrides).map(([name, { recordedAs = name, nullable = false, check }]) => ({
  name,
  recordedAs,
  nullable,
  check,
}));

/** Names in a start, for lists of known fields. */
export const OVERRIDES: readonly string[] = all.map(({ name }) => name);

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
const parents = new Set(all.flatMap(({ recordedAs, check }) => (isCheck(check) ? [] : [recordedAs])));

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

function isCheck(check: Override['check']): check is Check {
  return typeof check['rule'] === 'string';
}

function isNatural(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function shown(value: unknown): string {
  return boundedText(typeof value === 'string' ? JSON.stringify(value) : value, 100);
}
