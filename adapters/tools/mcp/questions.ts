import { z } from 'zod/v4';
import { canonicalJson, fieldsOf, isObject, readAskedAnswer } from '../../../agent/values/json-object.ts';
import { plainJson } from '../../../agent/values/values.ts';
import type { Json, JsonObject } from '../../../agent/values/vocabulary.ts';
import { objectInput } from '../json-input.ts';
import { AskedInput } from '../tool.ts';

/** A question for a person: the parameters of `elicitation/create`. With `url` the person opens a page, otherwise fills in a form. */
const Question = z.looseObject({
  message: z.string(),
  url: z.string().optional(),
  requestedSchema: z.looseObject({}).optional(),
});
export type Question = z.output<typeof Question>;

const PersonsAnswer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.looseObject({}).optional(),
});
export type PersonsAnswer = z.output<typeof PersonsAnswer>;

/** All that is known of a call under way. JSON, since another worker may continue the call. */
const CallState = z.object({
  /** Open and answered questions, by the server's keys; for servers of older revisions by their number. */
  questions: z.record(z.string(), Question).default({}),
  answers: z.record(z.string(), PersonsAnswer).default({}),
  /** Way by which the answers reach the server: with the repeated call, as its questions come again, or not at all (a page that was to be opened). */
  way: z.enum(['result', 'request', 'page']).default('result'),
  /** Returned to the server as it is. */
  requestState: z.string().optional(),
  /** Id of the server's task that does the call. */
  task: z.string().optional(),
  /** Keys of the task's questions that were answered. */
  told: z.array(z.string()).default([]),
});
export type CallState = z.output<typeof CallState>;

/** Reads the last checkpoint of a call: its state, or its state with a person's answer to the first open question. Throws ToolInputError. */
export function stateOf(tool: string, checkpoint: Json | undefined): CallState {
  const { asked, answer } = fieldsOf(checkpoint);
  const { data: state = CallState.parse({}) } = CallState.safeParse(asked ?? checkpoint ?? {});
  const key = openQuestion(state);
  if (asked === undefined || key === undefined) return state;
  return { ...state, answers: { ...state.answers, [key]: answerTo(tool, state.questions[key], answer) } };
}

function answerTo(tool: string, question: Question | undefined, answer: Json | undefined): PersonsAnswer {
  const schema = question?.requestedSchema as JsonObject | undefined; // came as JSON
  const read = readAskedAnswer(schema, answer ?? null);
  if (read.action !== 'accept') return read;
  return { action: 'accept', ...(schema && { content: objectInput(tool, schema, read.content) }) };
}

/** Key of the first question without an answer. */
export function openQuestion({ questions, answers }: CallState): string | undefined {
  return Object.keys(questions).find((key) => answers[key] === undefined);
}

/** Lets a person answer the question `key`. `from` names the server. */
export function ask(state: CallState, key: string, from: string, hide: (text: string) => string): AskedInput {
  const { message, url, requestedSchema } = state.questions[key] ?? { message: key };
  const schema = requestedSchema as JsonObject | undefined; // came as JSON
  const about = { ...(url !== undefined && { url }), ...(schema && { schema }) };
  return new AskedInput({ question: hide(message), ...about, from }, { schema, state: plainJson(state) });
}

/** Reads questions of a result or a task. Gives the name of a request that is not a question for a person, where there is one. */
export function readQuestions(requests: unknown): { questions: CallState['questions'] } | { other: string } {
  const questions: CallState['questions'] = {};
  for (const [key, request] of Object.entries(fieldsOf(requests))) {
    const { method, params } = fieldsOf(request);
    const { data } = Question.safeParse(params);
    if (method !== 'elicitation/create' || data === undefined) return { other: String(method) };
    questions[key] = data;
  }
  return { questions };
}

/** Reads the pages that a person has to open first, from the `data` of the error for it. */
export function readPages(data: unknown): CallState['questions'] {
  const { elicitations } = fieldsOf(data);
  const pages = z.array(Question).safeParse(elicitations).data ?? [];
  return Object.fromEntries(pages.map((page, index) => [String(index), page]));
}

/**
 * Questions that a server of an older revision asks in the course of a call, over its connection. An answered one gets its answer; at the
 * first other one the server gets `cancel`, a person is asked, and the call is made again.
 */
export class QuestionsOfCall {
  readonly #state: CallState;
  readonly #used = new Set<string>();
  readonly #onAsked: () => void;
  /** The question for a person. */
  open: Question | undefined;

  constructor(state: CallState, onAsked: () => void) {
    this.#state = state;
    this.#onAsked = onAsked;
  }

  answer(params: unknown): PersonsAnswer {
    const question = Question.parse(params);
    const { questions, answers } = this.#state;
    const same = Object.entries(questions).find(
      ([key, known]) => !this.#used.has(key) && essence(known) === essence(question),
    );
    const answer = same && answers[same[0]];
    if (same !== undefined && answer !== undefined && this.open === undefined) {
      this.#used.add(same[0]);
      return answer;
    }
    if (this.open === undefined) {
      this.open = question;
      this.#onAsked();
    }
    return { action: 'cancel' };
  }
}

/** Addresses and ids may be other ones each time. */
function essence({ message, requestedSchema, url }: Question): string {
  return canonicalJson([message, requestedSchema ?? null, url !== undefined]);
}

/** Id of the server's task that a result names; undefined: the result names none. */
export function taskIn(result: unknown): string | undefined {
  const { resultType, taskId } = fieldsOf(result);
  return isObject(result) && resultType === 'task' && typeof taskId === 'string' ? taskId : undefined;
}
