import { canonicalJson, isObject, parseJson } from '../../../agent/values/json-object.ts';
import { boundedText } from '../../../agent/values/values.ts';
import { type Json, asText } from '../../../agent/values/vocabulary.ts';
import type { EvalCase, EvalRun, FunctionCheck, JudgeCheck, Verdict } from './eval-definition.ts';

const NO_EXPECTED = 'the case has no "expected"';

/** Passes for this answer, by default the case's `expected`. Blanks around a text do not count. */
export function exact(expected?: Json): FunctionCheck {
  return check('exact', ({ output }, item) => {
    const wanted = expected ?? item.expected;
    if (wanted === undefined) return fails(NO_EXPECTED);
    const isSame = canonicalJson(output) === canonicalJson(wanted) || trimmed(output) === trimmed(wanted);
    return isSame || fails(`the answer is ${shown(output)}, not ${shown(wanted)}`);
  });
}

/** Passes for an answer with this text, by default the case's `expected`. Upper and lower case are the same. */
export function contains(text?: string): FunctionCheck {
  return check(named('contains', text), ({ output }, item) => {
    const wanted = text ?? item.expected;
    if (wanted === undefined) return fails(NO_EXPECTED);
    const isThere = asText(output).toLowerCase().includes(trimmed(wanted).toLowerCase());
    return isThere || fails(`the answer is ${shown(output)}, without ${shown(wanted)}`);
  });
}

/** A schema of zod, of any version. */
export interface AnySchema {
  safeParse(value: unknown): { success: boolean; error?: { message: string } | undefined };
}

/** Passes for an answer that fits the schema. An answer that is a text is read as JSON, where it is JSON. */
export function matches(schema: AnySchema): FunctionCheck {
  return check('matches', ({ output }) => {
    const values = [output, ...(typeof output === 'string' ? [parseJson(output)] : [])];
    const results = values.map((value) => schema.safeParse(value));
    const reason = results.at(-1)?.error?.message ?? 'it does not fit';
    return results.some(({ success }) => success) || fails(`the answer is ${shown(output)}: ${reason}`);
  });
}

/** Passes if the agent called the tool. `input`: fields that the input of one of the calls has to have. */
export function called(tool: string, input?: Json): FunctionCheck {
  return check(named(`called ${tool}`, input), ({ intermediateSteps, waiting }) => {
    const calls = [
      ...intermediateSteps.map(({ action }) => action),
      ...waiting.map((call) => ({ tool: call.tool, toolInput: call.toolInput })),
    ].filter((call) => call.tool === tool);
    if (calls.some(({ toolInput }) => input === undefined || includes(toolInput, input))) return true;
    if (calls.length === 0) return fails(`${tool} was not called`);
    return fails(`${tool} was called with ${calls.map(({ toolInput }) => shown(toolInput)).join(', ')}`);
  });
}

/** Passes if the tool has not run: it was not called, or a person or a hook refused each call. */
export function noEffect(tool: string): FunctionCheck {
  return check(`no effect of ${tool}`, ({ intermediateSteps, waiting }) => {
    const ran = intermediateSteps.filter(({ action, attempts }) => action.tool === tool && attempts > 0);
    const calls = [
      ...ran.map(({ call }) => call),
      ...waiting
        .filter((call) => call.tool === tool && call.reason !== 'approval')
        .map((waits) => waits.call),
    ];
    return calls.length === 0 || fails(`${tool} ran in call ${calls.join(', ')}`);
  });
}

/** Passes for a run that cost less than so many US dollars. The config's `prices` have to have its models. */
export function costUnder(dollars: number): FunctionCheck {
  return check(`cost under $${dollars}`, ({ usage }) => {
    if (usage.cost === undefined) return fails('the cost is not known: the config has no price of the model');
    return usage.cost < dollars || fails(`it cost $${usage.cost}`);
  });
}

/** Passes for a run with fewer steps, which are turns of its model. */
export function stepsUnder(steps: number): FunctionCheck {
  return check(
    `steps under ${steps}`,
    ({ iterations }) => iterations < steps || fails(`${iterations} steps`),
  );
}

/** A custom check. `atLeast`: the score with which it passes, by default 1. */
export function check(
  name: string,
  score: (run: EvalRun, item: EvalCase) => Verdict | Promise<Verdict>,
  { atLeast = 1 }: { atLeast?: number | undefined } = {},
): FunctionCheck {
  return { name, atLeast, score };
}

/**
 * A check by a model: `agent` is an agent of the config, such as a `judgeAgent()`, and is asked in a run for each case to score the answer
 * by the rubric. `atLeast`: the score with which the check passes, by default 0.5. `name`: by default that of the agent.
 */
export function judge(
  agent: string,
  { rubric, atLeast = 0.5, name = agent }: { rubric: string; atLeast?: number; name?: string },
): JudgeCheck {
  return { name, atLeast, judge: { agent, rubric } };
}

function fails(reason: string): Verdict {
  return { score: 0, reason };
}

function named(what: string, value: Json | undefined): string {
  return value === undefined ? what : `${what} ${shown(value)}`;
}

function shown(value: Json): string {
  return boundedText(JSON.stringify(value), 200);
}

function trimmed(value: Json): string {
  return asText(value).trim();
}

/** Returns true if a value has all that another one has. An input that the model wrote as text may be JSON. */
function includes(value: Json, wanted: Json): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((item, index) => includes(value[index] ?? null, item))
    );
  if (!isObject(wanted)) return canonicalJson(value) === canonicalJson(wanted);
  const fields = typeof value === 'string' ? parseJson(value) : value;
  if (!isObject(fields)) return false;
  return Object.entries(wanted).every(
    ([name, item]) => Object.hasOwn(fields, name) && includes(fields[name] ?? null, item),
  );
}
