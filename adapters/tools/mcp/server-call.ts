import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { MCP_IDEMPOTENCY_KEY } from '../../../agent/values/names.ts';
import type { JsonObject } from '../../../agent/values/vocabulary.ts';
import { ServiceError } from '../http/error.ts';
import { type AskedInput, type ToolContext, ToolError } from '../tool.ts';
import { withQuestions } from './call-under-way.ts';
import {
  type CallState,
  QuestionsOfCall,
  ask,
  openQuestion,
  readPages,
  readQuestions,
  stateOf,
  taskIn,
} from './questions.ts';
import type { McpConnection } from './connection.ts';
import { complaintOfInput, pagesToOpen, unmetNeed, wordsOf } from './error.ts';
import { outputOf, progressText } from './result.ts';
import { fieldsOf } from '../../../agent/values/json-object.ts';
import { followTask } from './server-task.ts';

/** The longest timer: a call's time is limited by the tool's `timeout`. */
export const LONGEST_MS = 2 ** 31 - 1;

/** A server that asks for nothing but its own state back is given this time. */
const PAUSE_MS = 1_000;
/** Time for the server to end a call that is made again, before the call is cancelled. */
const LEAVE_MS = 5_000;

/** A tool as the server lists it. */
export interface CalledTool {
  name: string;
  inputSchema: { type: 'object' };
  /** No call is made twice. */
  once: boolean;
}

/**
 * Makes one call, with a task of the server and questions for a person where the server has them. `context.lastCheckpoint` says how far an
 * earlier run of the call came.
 */
export async function callTool(
  connection: McpConnection,
  tool: CalledTool,
  input: JsonObject,
  context: ToolContext,
): Promise<string | AskedInput> {
  const { name } = tool;
  const from = `MCP server ${connection.name}`;
  try {
    let state = stateOf(name, context.lastCheckpoint);
    for (;;) {
      const key = openQuestion(state);
      if (key !== undefined) return ask(state, key, from, connection.hide);
      const next = await ofServer(connection, tool, { input, state, context });
      if ('result' in next)
        return outputOf(next.result, { whose: `${from}: the result of ${name}`, hide: connection.hide });
      state = next.state;
    }
  } catch (error) {
    const need = unmetNeed(error);
    if (need !== undefined) throw unmet(connection, name, need, wordsOf(error));
    const complaint = complaintOfInput(error);
    throw complaint === undefined ? error : new ToolError(complaint, { cause: error });
  }
}

interface CallUnderWay {
  input: JsonObject;
  state: CallState;
  context: ToolContext;
}

type Next = { result: unknown } | { state: CallState };

/** The server's next answer to a call: its result, or a further state. */
async function ofServer(connection: McpConnection, tool: CalledTool, call: CallUnderWay): Promise<Next> {
  const { state, context } = call;
  if (state.task !== undefined) {
    const told = [...state.told, ...Object.keys(state.answers)];
    const news = await followTask(connection, state.task, { ...state, told }, context);
    if (news.type === 'ended') return { result: news.result };
    return { state: { ...asked(connection, tool.name, state, news.requests), told } };
  }
  const result = await request(connection, tool, call);
  if ('state' in result) return result;
  const task = taskIn(result.result);
  if (task !== undefined) {
    await context.checkpoint({ task, server: connection.name });
    return { state: stateOf(tool.name, { task }) };
  }
  const { resultType, inputRequests, requestState } = fieldsOf(result.result);
  if (resultType !== 'input_required') return result;
  const next = asked(connection, tool.name, { ...state, way: 'result' }, inputRequests);
  if (Object.keys(next.questions).length === 0) await sleep(PAUSE_MS, undefined, { signal: context.signal });
  return { state: { ...next, requestState: typeof requestState === 'string' ? requestState : undefined } };
}

/** The state with new questions. Throws ServiceError if there is one that no person can answer. */
function asked(connection: McpConnection, name: string, state: CallState, requests: unknown): CallState {
  const read = readQuestions(requests);
  if ('questions' in read) return { ...state, questions: read.questions, answers: {} };
  const need = `needs ${read.other}, which Reloop's client does not answer`;
  throw unmet(connection, name, need, `input_required (${read.other})`);
}

function unmet(connection: McpConnection, name: string, need: string, said: string): ServiceError {
  const message = `MCP server ${connection.name}: ${name} ${need}. Leave the tool out by the option only. The server said: ${said}`;
  return new ServiceError('ToolBadResponse', message, { retryable: false });
}

/** Sends the call, and answers the questions that come in the course of it. */
async function request(
  connection: McpConnection,
  { name, inputSchema, once }: CalledTool,
  { input, state, context: { signal, progress, idempotencyKey } }: CallUnderWay,
): Promise<Next> {
  refuseClosedPage(name, state);
  const { requestState, way, answers } = state;
  const answered = way === 'result' && Object.keys(answers).length > 0 ? { inputResponses: answers } : {};
  const params = {
    name,
    arguments: input,
    ...answered,
    ...(requestState !== undefined && { requestState }),
    _meta: { [MCP_IDEMPOTENCY_KEY]: idempotencyKey },
  };
  const left = new AbortController();
  const questions = new QuestionsOfCall(way === 'request' ? state : { ...state, questions: {} }, () =>
    setTimeout(() => left.abort(), LEAVE_MS).unref(),
  );
  const until = AbortSignal.any([signal, left.signal]);
  // The definition says which parts of the input are headers too. Without a schema of the output, the SDK lets any output pass.
  const options = { toolDefinition: { name, inputSchema }, signal: until, timeout: LONGEST_MS };
  const onprogress = (made: Progress) => progress(progressText(made));
  try {
    const asks = once ? undefined : questions;
    const made = (client: Client) =>
      withQuestions(client, asks, () => client.callTool(params, { ...options, onprogress }));
    const { structuredContent } = await connection.use(made, until);
    if (questions.open === undefined) return { result: structuredContent };
  } catch (error) {
    signal.throwIfAborted();
    if (questions.open === undefined) {
      const pages = readPages(pagesToOpen(error));
      if (Object.keys(pages).length === 0) throw error;
      return { state: { ...state, questions: pages, answers: {}, way: 'page' } };
    }
  }
  const known = way === 'request' ? state : { ...state, questions: {}, answers: {} };
  const number = String(Object.keys(known.questions).length);
  return { state: { ...known, way: 'request', questions: { ...known.questions, [number]: questions.open } } };
}

/** Throws if a person declined to open a page: the model learns it, the server does not. */
function refuseClosedPage(name: string, { way, answers }: CallState): void {
  const refused = Object.values(answers).find(({ action }) => action !== 'accept');
  if (way !== 'page' || refused === undefined) return;
  throw new ToolError(`${name} was not called: a person declined to open the page that it needs.`);
}
