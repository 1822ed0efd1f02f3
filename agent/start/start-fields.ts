import type { Budget } from '../definition/budget.ts';
import { CLIENT_TOOLS_RULE, type ClientTool, areClientTools } from '../definition/client-tools.ts';
import type { RunContext } from '../definition/run-context.ts';
import { TAGS_RULE, areTags } from '../definition/run-tags.ts';
import { jsonBytes, utf8Length } from '../values/digest.ts';
import { isObject } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { traceProblem } from '../values/trace-context.ts';
import { isDeeper } from '../values/values.ts';
import type { ChatMessage } from '../values/vocabulary.ts';
import { historyProblem, variablesProblem } from './check-question.ts';
import { senderProblem } from './sender-name.ts';

/**
 * The one list of the fields of a start, beside its agent and its question. The client, the workflows, schedules and batches check them by
 * it; the gateway makes its schema, its table of rights and its API description of it, and the command line its options. A new field is an
 * entry here, and its type: in StartOverrides if it overrides the agent's, otherwise in StartDetails.
 */

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
  /** 1 to 5; runs of 1 go first, and a run without a priority has 3: docs/priority.md. Sub-agents inherit the priority. */
  priority?: number | undefined;
  /** Tools that the caller carries out, for an agent with `clientTools`: docs/client-tools.md. Sub-agents do not have them. */
  clientTools?: readonly ClientTool[] | undefined;
}

/** Fields of a start that are recorded beside the overrides. */
export interface StartDetails {
  /** Earlier messages, for kinds that take them. */
  chatHistory?: ChatMessage[] | undefined;
  /** Values for the agent's own `{names}` in its prompt texts. */
  variables?: { [name: string]: string } | undefined;
  /** W3C `traceparent` of the caller's span: the run's spans are below it. */
  traceparent?: string | undefined;
  /** Name of the person who starts the run, as the sender says. It is recorded, and shown with the question. */
  by?: string | undefined;
}

/** {@link StartOverrides} as a run records them: under these names they override the fields of the manifest. */
export interface RunOverrides extends Omit<StartOverrides, 'maxExecutionTime'> {
  maxExecutionTimeMs?: number | null | undefined;
}

/** The rule that a value keeps. */
export interface Check {
  fits(value: unknown): boolean;
  rule: string;
}

/** The JSON of a field, for a schema. `doc`: text in the API description. */
export type Shape = { doc?: string } & (
  | { json: 'text' | 'any' }
  | { json: 'integer' | 'number'; nullable?: true }
  | { json: 'choice'; of: readonly string[] }
  | { json: 'list' | 'map'; of: Shape }
  | { json: 'object'; fields: { readonly [field: string]: Shape }; optional?: readonly string[] }
);

/** An option of the command line. The option `maxTime` is the flag `--max-time`. */
export interface Flag {
  option: string;
  /** The value in the help. */
  value: string;
  help: string;
  /** `count` and `dollars` are limits: `none` is null. */
  form: 'text' | 'texts' | 'number' | 'count' | 'dollars' | 'duration' | 'object';
  /** The field of the field that it sets. */
  field?: string;
}

/** The permissions of callers of the gateway to set fields of a start. */
export type StartPermission =
  'history' | 'variables' | 'model' | 'limits' | 'budget' | 'context' | 'tags' | 'priority' | 'client-tools';

interface Field {
  shape: Shape;
  /** The permission with which a caller of the gateway may set the field. Default: no caller may. */
  may?: StartPermission;
  flags?: readonly Flag[];
}

/** A field that overrides one of the agent. */
interface OverrideField extends Field {
  /** Field of the manifest. Default: the name of the override. */
  recordedAs?: keyof RunOverrides;
  /** null is a value, no limit, and not the same as a field that is left out. */
  nullable?: true;
  /** One check, or one for each field of an object. */
  check: Check | { readonly [field: string]: Check };
}

/** A field that is recorded beside the overrides. */
interface PlainField extends Field {
  /** The problem of a value as a sentence; undefined: there is none. */
  problem(value: unknown): string | undefined;
}

const TEXT = { json: 'text' } as const;
const COUNT = { json: 'integer', nullable: true } as const;

export const startFields = {
  chatHistory: {
    problem: historyProblem,
    shape: {
      json: 'list',
      of: {
        json: 'object',
        fields: { role: { json: 'choice', of: ['user', 'assistant', 'system'] }, content: TEXT },
      },
    },
    may: 'history',
  },
  variables: { problem: variablesProblem, shape: { json: 'map', of: TEXT }, may: 'variables' },
  traceparent: { problem: traceProblem, shape: TEXT },
  by: { problem: senderProblem, shape: TEXT },
  model: {
    check: {
      fits: (value) => typeof value === 'string' && value.trim() !== '',
      rule: 'the name of a model',
    },
    shape: TEXT,
    may: 'model',
    flags: [{ option: 'model', value: '<name>', help: "in place of the agent's", form: 'text' }],
  },
  maxIterations: {
    nullable: true,
    check: {
      fits: (value) => value === null || isNatural(value),
      rule: 'a whole number, or null for no limit',
    },
    shape: COUNT,
    may: 'limits',
    flags: [
      {
        option: 'maxIterations',
        value: '<n>',
        help: 'turns the agent may take; none for no limit',
        form: 'count',
      },
    ],
  },
  maxExecutionTime: {
    recordedAs: 'maxExecutionTimeMs',
    nullable: true,
    check: {
      fits: (value) => value === null || (isNatural(value) && value <= limits.timerMs),
      rule: `a whole number of milliseconds up to ${limits.timerMs} (24 days), or null for no limit`,
    },
    shape: { ...COUNT, doc: 'Milliseconds' },
    may: 'limits',
    flags: [{ option: 'maxTime', value: '<duration>', help: 'such as 30s or 10m', form: 'duration' }],
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
    shape: {
      json: 'object',
      fields: { totalTokens: COUNT, cost: { json: 'number', nullable: true } },
      optional: ['totalTokens', 'cost'],
    },
    may: 'budget',
    flags: [
      {
        option: 'budgetTokens',
        value: '<n>',
        help: 'tokens it may use up; none for no limit',
        form: 'count',
        field: 'totalTokens',
      },
      {
        option: 'budgetCost',
        value: '<usd>',
        help: 'US dollars it may cost, such as 0.50; none for no limit',
        form: 'dollars',
        field: 'cost',
      },
    ],
  },
  context: {
    check: {
      fits: (value) =>
        isObject(value) && !isDeeper(value, limits.jsonDepth) && jsonBytes(value) <= limits.contextBytes,
      rule: `an object of at most ${limits.contextBytes} bytes as JSON, nested at most ${limits.jsonDepth} levels deep`,
    },
    shape: { json: 'map', of: { json: 'any', doc: 'Any JSON value' } },
    may: 'context',
    flags: [
      {
        option: 'context',
        value: '<json>',
        help: "facts for the run's tools, as the config's context wants them",
        form: 'object',
      },
    ],
  },
  tags: {
    check: { fits: areTags, rule: TAGS_RULE },
    shape: { json: 'list', of: TEXT },
    may: 'tags',
    flags: [{ option: 'tag', value: '<text>', help: 'text to filter runs by; repeatable', form: 'texts' }],
  },
  tenant: {
    check: {
      fits: (value) =>
        typeof value === 'string' &&
        value.trim() !== '' &&
        utf8Length(value) <= limits.tenantBytes &&
        !/\p{Cc}/u.test(value),
      rule: `a text of at most ${limits.tenantBytes} bytes, not empty and without control characters`,
    },
    shape: TEXT,
    flags: [
      { option: 'tenant', value: '<name>', help: 'customer or user that the run is for', form: 'text' },
    ],
  },
  priority: {
    check: {
      fits: (value) => isNatural(value) && value >= 1 && value <= limits.lastPriority,
      rule: `a whole number from 1, which goes first, to ${limits.lastPriority}`,
    },
    shape: { json: 'integer' },
    may: 'priority',
    flags: [{ option: 'priority', value: '<n>', help: '1 goes first, 5 last (default: 3)', form: 'number' }],
  },
  clientTools: {
    check: { fits: areClientTools, rule: CLIENT_TOOLS_RULE },
    shape: {
      json: 'list',
      of: {
        json: 'object',
        fields: {
          name: TEXT,
          description: TEXT,
          inputSchema: { json: 'map', of: { json: 'any' }, doc: 'JSON Schema' },
        },
        optional: ['description', 'inputSchema'],
      },
      doc: 'Tools that the caller carries out',
    },
    may: 'client-tools',
  },
} as const satisfies { [O in keyof StartOverrides]-?: OverrideField } & {
  [F in keyof StartDetails]-?: PlainField;
};

export type StartFieldName = keyof typeof startFields;

type WithRight<F extends StartFieldName> = F extends F
  ? (typeof startFields)[F] extends { may: StartPermission }
    ? F
    : never
  : never;
/** A field that a caller of the gateway may set, with a permission. */
export type CallerField = WithRight<StartFieldName>;

/** The entries, without the types of each. */
export const startFieldList: readonly ({ name: StartFieldName } & (OverrideField | PlainField))[] = (
  Object.entries(startFields) as [StartFieldName, OverrideField | PlainField][]
).map(([name, field]) => ({ name, ...field }));

/** Problem of the fields that stand beside the overrides; undefined if there is none. A field that is left out has none. */
export function fieldsProblem(given: { readonly [field: string]: unknown }): string | undefined {
  for (const field of startFieldList) {
    if (!('problem' in field) || given[field.name] === undefined) continue;
    const problem = field.problem(given[field.name]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isNatural(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
