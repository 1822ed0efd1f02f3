import { contentProblem } from './check-content.ts';
import { sizeProblem } from './check-question.ts';
import type { Content } from '../values/content.ts';
import { InvalidInput } from '../values/refusal.ts';
import { isObject, withoutNulls } from '../values/json-object.ts';
import { misstart } from './misstart.ts';
import { nearName } from '../text/near-name.ts';
import {
  NULLABLE_OVERRIDES,
  type RunOverrides,
  type StartOverrides,
  checkOverrides,
  overridesOf,
} from './overrides.ts';
import { boundedText, plainJson } from '../values/values.ts';
import { senderName } from './sender-name.ts';
import { type StartDetails, fieldsProblem, startFieldList } from './start-fields.ts';
import type { ChatMessage, Json } from '../values/vocabulary.ts';

/**
 * The input of the workflow `agentRun` as a person types it, in any language. null is the same as leaving a field out;
 * for `maxIterations` and `maxExecutionTime` it means no limit.
 */
export interface RunStart extends StartOverrides, StartDetails {
  agent: string;
  /** The question: a text, or its parts with images and files. */
  input: Content;
}

/** A fresh start as runs record it. */
export interface FreshStart {
  agent: string;
  question: {
    input: Content;
    chatHistory: ChatMessage[];
    variables?: { [name: string]: string } | undefined;
  };
  overrides?: RunOverrides | undefined;
  trace?: string | undefined;
  by?: string | undefined;
}

const FIELDS = ['agent', 'input', ...startFieldList.map(({ name }) => name)];

/** A name is recorded in several places. */
const NAME_CHARS = 500;

const elsewhere: { readonly [field: string]: string } = {
  session: 'a session is the workflow agentSession, and takes the question by its update "send"',
  id: "a run's id is the id of its workflow",
  taskQueue: 'the task queue is an option of the start, not part of the input',
};

/**
 * Reads the input of a run: a {@link RunStart}, or a {@link FreshStart}, as the client library writes it. `images`: the
 * arguments after it. Throws InvalidInput.
 */
export function readRunStart(sent: unknown, images: readonly unknown[]): FreshStart {
  if (!images.every(ArrayBuffer.isView)) throw wrong(`there are ${images.length + 1} arguments, not one.`);
  const { overrides, ...given } = flat(asObject(sent));
  const unknown = Object.keys(given).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw wrong(unknownField(unknown));
  const { agent, input, chatHistory = [], variables, traceparent: trace, by } = given;
  if (agent === undefined) throw wrong('agent is missing: the name of an agent.');
  if (typeof agent !== 'string' || agent.trim() === '' || agent.length > NAME_CHARS)
    throw wrong('agent is the name of an agent.');
  if (input === undefined) throw wrong('input is missing: the question.');
  const problem =
    contentProblem(input, images.length) ??
    fieldsProblem(given) ??
    (overrides === undefined ? undefined : checkOverrides(overrides));
  if (problem !== undefined) throw wrong(problem);
  const question = { input, chatHistory, variables } as unknown as FreshStart['question']; // just looked at
  const all = { ...(overrides as RunOverrides | undefined), ...readOverrides(given) };
  const tooLarge = sizeProblem({ ...question, ...all });
  if (tooLarge !== undefined) throw new InvalidInput(tooLarge);
  return {
    agent,
    question,
    ...(Object.keys(all).length === 0 ? {} : { overrides: all }),
    ...(typeof trace === 'string' ? { trace } : {}),
    ...(by === undefined ? {} : { by: senderName(by) }),
  };
}

/** Recognizes the input of a run that Reloop itself started: it has a full question, or the state of an earlier run. */
export function isRecordedStart(value: unknown): boolean {
  if (!isObject(value) || typeof value['agent'] !== 'string') return false;
  const { question, manifest, restart } = value;
  if (question === undefined) return isObject(manifest) || isObject(restart);
  return isObject(question) && question['input'] !== undefined && Array.isArray(question['chatHistory']);
}

function asObject(sent: unknown): { [field: string]: Json } {
  if (sent === undefined || sent === null) throw wrong('there is no input.');
  if (ArrayBuffer.isView(sent)) throw wrong('the input is bytes, not JSON.');
  const json = asJson(sent);
  if (isObject(json)) return json;
  const what = Array.isArray(json) ? 'a list' : `a ${typeof json}`;
  throw wrong(`the input is ${what}, not an object: ${boundedText(JSON.stringify(json), 100)}.`);
}

function asJson(sent: unknown): Json {
  try {
    return plainJson(sent);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

/** The question's fields beside the agent, where it has them in a separate object. */
function flat(sent: { [field: string]: Json }): { [field: string]: Json } {
  const { question, trace, ...rest } = withoutNulls(sent, NULLABLE_OVERRIDES);
  // `trace` is the recorded form, which the Web UI shows.
  const given =
    trace === undefined || rest['traceparent'] !== undefined ? rest : { ...rest, traceparent: trace };
  if (question === undefined) return withMessages(given);
  if (!isObject(question)) throw wrong('question is an object such as {"input":"…"}; or give input.');
  const twice = Object.keys(question).find((field) => given[field] !== undefined);
  if (twice !== undefined) throw wrong(`${twice} stands beside question and in it.`);
  return withMessages({ ...given, ...withoutNulls(question) });
}

/** A language without optional fields sends null for those of a message. */
function withMessages(given: { [field: string]: Json }): { [field: string]: Json } {
  const { chatHistory } = given;
  if (!Array.isArray(chatHistory)) return given;
  const messages = chatHistory.map((one) => (isObject(one) ? withoutNulls(one, ['content']) : one));
  return { ...given, chatHistory: messages };
}

function readOverrides(given: { [field: string]: Json }): RunOverrides {
  try {
    return overridesOf(given);
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

function wrong(problem: string): InvalidInput {
  return misstart('agentRun', problem);
}

function unknownField(field: string): string {
  const why = Object.hasOwn(elsewhere, field) ? elsewhere[field] : undefined;
  if (why !== undefined) return `${field} cannot stand here: ${why}.`;
  const near = nearName(field, FIELDS);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return `unknown field ${JSON.stringify(boundedText(field, 100))}.${hint} Known: ${FIELDS.join(', ')}.`;
}
