import { limits } from '../values/limits.ts';
import { canonicalJson, withoutNulls } from '../values/json-object.ts';
import type { AskedState } from '../calls/asked-state.ts';
import type { JsonSchema } from '../definition/manifest.ts';
import { jsonBytes } from '../values/digest.ts';
import { fieldOf, plainJson } from '../values/values.ts';
import { type Json, asText } from '../values/vocabulary.ts';
import { waitReasonOf } from './wait-reasons.ts';
import {
  type CallState,
  type DecisionFields,
  type DecisionName,
  type OperatorDecision,
  decisionFits,
  decisionNames,
  decisionOf,
  ruleOf,
  withoutToken,
} from './decisions.ts';
import { askedProblem, schemaProblem } from './fits-schema.ts';
import { strictProblem } from '../definition/strict-schema.ts';
import { refusal } from '../values/refusal.ts';
import { type Sender, splitSender } from './sender.ts';
import { possibleUpdates } from './waiting.ts';

/** A call under way, with all that the gate checks. */
export interface GateCall {
  /** Id that people type: `3.1`, `3` for the model call, and `1/3.1` in the second runAgent of one workflow. */
  id: string;
  /** Number of the call's wait; of its next wait while it is running. */
  waitNumber: number;
  state: CallState;
  /** Schema of the tool's input; null: one plain string. undefined: a person cannot give this call an input. */
  inputSchema: JsonSchema | null | undefined;
  /** Schema of the run's answer, if `resolve` gives that answer; undefined: any value is accepted. */
  outputSchema?: JsonSchema | undefined;
  /** Longest result of the call's tool, in characters; undefined: any. */
  maxOutputChars?: number | undefined;
  /** The question of a waiting call, which `resolve` answers. */
  asks?: AskedState | undefined;
  /** Ids of the waiting calls of the sub-agent that this call runs. */
  waitingWithin: readonly string[];
  /** Answers by token that came while the call was running. */
  earlyAnswers?: readonly OperatorDecision[];
  input?: Json | undefined;
  /** Token that the deferred call gave out; undefined: none. */
  token?: string | undefined;
  /** The only people who may end a wait for approval. undefined: everybody. */
  approvers?: readonly string[] | undefined;
}

/** Data of every decision: nothing (one call waits), the call's id as a string, or this. */
export interface DecisionData extends Sender {
  call?: string | undefined;
  /** The `n` of the wait that the sender saw; a decision on an earlier one is refused. */
  wait?: number | undefined;
  input?: Json | undefined;
  output?: Json | undefined;
  reason?: string | undefined;
  remember?: 'tool' | 'input' | undefined;
  token?: string | undefined;
}

/** A checked decision, and the call that it is for. */
export interface Choice<C extends GateCall> {
  call: C;
  decision: OperatorDecision;
}

/** Check of each field; undefined: any JSON value is accepted. */
const fieldRules: { readonly [F in keyof DecisionFields]: FieldRule | undefined } = {
  input: undefined,
  output: undefined,
  reason: { rule: 'a text', fits: (value) => typeof value === 'string' },
  remember: { rule: '"tool" or "input"', fits: (value) => value === 'tool' || value === 'input' },
  token: { rule: 'a text', fits: (value) => typeof value === 'string' },
};

interface FieldRule {
  rule: string;
  fits(value: Json): boolean;
}

const FIELDS = Object.keys(fieldRules) as (keyof DecisionFields)[]; // the keys of the literal above

/** Checks a decision and finds its call. Every decision passes here. Throws an Error whose message says which data is accepted. */
export function chooseCall<C extends GateCall>(
  open: readonly C[],
  type: DecisionName,
  data: unknown,
): Choice<C> {
  const given = parseData(type, data);
  checkFields(type, given);
  checkNumber(open, type, typeof data === 'number' ? data : fieldOf(data, 'call'));
  const call = findCall(open, type, given.call);
  checkState(call, type, given.wait);
  checkInput(call, type, given.input);
  checkAnswer(call, type, given.output);
  checkToken(call, type, given.token);
  checkRemember(call, type, given);
  checkApprover(call, type, given);
  return { call, decision: withoutToken(decisionOf(type, given)) };
}

/** Maximum of early answers that a running call keeps. Only one of them can have the right token. */
const MOST_KEPT = 4;

/**
 * Checks an answer by token for a call that is still running: the tool may give out the token before it returns. The call keeps the
 * answer, and uses it when it defers with that token. Returns undefined for any other decision. Throws as `chooseCall` does.
 */
export function chooseEarlyAnswer<C extends GateCall>(
  open: readonly C[],
  type: DecisionName,
  data: unknown,
): Choice<C> | undefined {
  if (type !== 'resolve') return undefined;
  const given = parseData(type, data);
  const call = open.find(({ id }) => id === given.call);
  if (given.token === undefined || call === undefined) return undefined;
  if (call.state.kind !== 'tool' || call.state.waiting !== undefined) return undefined;
  checkFields(type, given);
  if ((call.earlyAnswers?.length ?? 0) >= MOST_KEPT) {
    throw refusal(type, `${call.id} still runs and keeps ${MOST_KEPT} answers. Try again when it waits.`);
  }
  return { call, decision: decisionOf(type, given) };
}

function parseData(type: string, data: unknown): DecisionData {
  if (data === undefined || data === null || data === '') return {};
  if (typeof data === 'string') return { call: data };
  if (typeof data === 'number') return { call: String(data) };
  if (typeof data !== 'object' || Array.isArray(data)) throw refusal(type, `data is a call id or an object.`);
  const known = ['call', 'wait', ...FIELDS];
  const { sender, data: fields } = splitSender(type, data);
  const unknown = Object.keys(fields as object).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw refusal(type, `unknown field ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  }
  if (jsonBytes(data) > limits.decisionBytes) {
    throw refusal(type, `the data is larger than ${limits.decisionBytes} bytes. Shorten it.`);
  }
  const json = plainJson(fields) as { [key: string]: Json }; // the data is an object
  const { call, wait, ...values } = withoutNulls(json, ['input', 'output']);
  if (call !== undefined && typeof call !== 'string' && typeof call !== 'number') {
    throw refusal(type, `call is an id such as "3.1".`);
  }
  if (wait !== undefined && typeof wait !== 'number') throw refusal(type, `wait is a number.`);
  for (const field of FIELDS) {
    const [rule, value] = [fieldRules[field], values[field]];
    if (value !== undefined && rule?.fits(value) === false) throw refusal(type, `${field} is ${rule.rule}.`);
  }
  return { ...values, ...sender, call: call === undefined ? undefined : String(call), wait };
}

/** Refuses a number that may mean two calls: the Web UI's form turns an unquoted 3.10 into the number 3.1. */
function checkNumber(open: readonly GateCall[], type: DecisionName, given: unknown): void {
  if (typeof given !== 'number') return;
  const ids = open.filter(({ id }) => Number(id) === given).map(({ id }) => id);
  if (ids.length < 2) return;
  throw refusal(
    type,
    `the number ${given} may be call ${ids.join(' or ')}. Put quotes around the id that you mean, as in "${ids.at(-1)}".`,
  );
}

/** Refuses fields that the decision does not take. The sender probably confused two decisions. */
function checkFields(type: DecisionName, given: DecisionData): void {
  const { takes } = ruleOf(type);
  for (const field of FIELDS) {
    if (given[field] === undefined && takes[field] === 'required') {
      throw refusal(type, `${field} is missing. Data: {"${field}":"…"}.`);
    }
    if (given[field] !== undefined && takes[field] === undefined) {
      const others = decisionNames.filter((name) => ruleOf(name).takes[field] !== undefined);
      throw refusal(type, `does not take ${field}. Decisions that take it: ${others.join(', ')}.`);
    }
  }
}

function findCall<C extends GateCall>(open: readonly C[], type: DecisionName, id: string | undefined): C {
  const fitting = open.filter(({ state }) => decisionFits(type, state));
  const list =
    fitting.length === 0
      ? `No call is ${targetState(type)}.`
      : `Now ${targetState(type)}: ${fitting.map((call) => call.id).join(', ')}.`;
  if (id === undefined) {
    const only = fitting.length === 1 ? fitting[0] : undefined;
    if (only === undefined) throw refusal(type, fitting.length === 0 ? list : `say which call. ${list}`);
    return only;
  }
  const found = open.find((call) => call.id === id);
  if (found !== undefined) return found;
  if (open.some(({ waitingWithin }) => waitingWithin.includes(id))) {
    throw refusal(
      type,
      `${id} waits in the run of a sub-agent. The client and the CLI send it there; in the Web UI, open the child workflow.`,
    );
  }
  const others = open.filter((call) => !fitting.includes(call));
  const rest =
    others.length === 0
      ? ''
      : ` Other open calls: ${others.map((call) => `${call.id} (${call.state.waiting ?? 'running'})`).join(', ')}.`;
  throw refusal(type, `there is no open call ${id}. ${list}${rest}`);
}

/** State of the calls that this decision is for, in words. */
function targetState(type: DecisionName): string {
  const { reasons, until } = ruleOf(type);
  if (reasons.length === 0) return 'running';
  if (until === 'only') return 'waiting for its lost attempt to end';
  return reasons.length === 1 ? `waiting (${reasons.join()})` : 'waiting';
}

function checkState(waiting: GateCall, type: DecisionName, wait: number | undefined): void {
  const { id, state } = waiting;
  if (!decisionFits(type, state)) {
    throw refusal(
      type,
      `${id} ${stateText(state)}. Possible: ${possibleUpdates(state).join(', ') || 'nothing'}.`,
    );
  }
  if (wait !== undefined && state.waiting !== undefined && wait !== waiting.waitNumber) {
    throw refusal(type, `${id} is at wait ${waiting.waitNumber} by now, not ${wait}. Look again.`);
  }
}

function stateText({ kind, waiting, until }: CallState): string {
  if (until !== undefined) return 'may still be running somewhere, so it waits for its lost attempt to end';
  if (waiting === undefined) return 'is running, it does not wait';
  const { refusal: text, refusalOfModel = text } = waitReasonOf(waiting);
  return kind === 'model' ? refusalOfModel : text;
}

/** Refuses the token of another call, or of an earlier wait: the sender may know nothing but the token. */
function checkToken({ id, token }: GateCall, type: DecisionName, given: string | undefined): void {
  if (given === undefined || given === token) return;
  throw refusal(type, `this token does not belong to the current wait of ${id}.`);
}

/**
 * Refuses people who may not approve: a decision on a wait for approval, and another input at a later wait of the call, which is an approval
 * of that input. The config's `authorize` checks that the name is the sender's.
 */
function checkApprover(
  { id, state, approvers }: GateCall,
  type: DecisionName,
  { by, input }: DecisionData,
): void {
  if (approvers === undefined || (state.waiting !== 'approval' && input === undefined)) return;
  if (by !== undefined && approvers.includes(by)) return;
  const who = by === undefined ? 'The decision has no name' : `${by} is not one of them`;
  throw refusal(type, `only ${approvers.join(', ')} may decide on ${id}. ${who}.`);
}

/** Bounds remembered inputs: each is carried through every continue-as-new of the run. */
function checkRemember({ input }: GateCall, type: DecisionName, given: DecisionData): void {
  if (given.remember !== 'input') return;
  const { length } = canonicalJson(given.input ?? input);
  if (length <= limits.rememberedChars) return;
  throw refusal(
    type,
    `an input of ${length} characters as JSON is too long to be remembered, at most ${limits.rememberedChars} are. Remember "tool", or nothing.`,
  );
}

/** Refuses an input that the tool would refuse, so that the call keeps waiting for a better one. */
function checkInput({ id, inputSchema }: GateCall, type: DecisionName, input: Json | undefined): void {
  if (input === undefined) return;
  const problem =
    inputSchema === undefined ? 'a model call takes no input' : schemaProblem(inputSchema, input);
  if (problem !== undefined) throw refusal(type, `this input does not fit ${id}: ${problem}.`);
}

/** Refuses an answer that does not fit the tool's question, so that the call keeps waiting for a better one. */
function checkAnswer({ id, asks }: GateCall, type: DecisionName, output: Json | undefined): void {
  if (asks === undefined || output === undefined) return;
  const problem = askedProblem(asks.schema, output);
  if (problem !== undefined)
    throw refusal(type, `this answer does not fit the question of ${id}: ${problem}.`);
}

/**
 * Refuses a person's result that the transcript would not take from a tool or a model: one longer than the tool's, and an answer that does
 * not fit the agent's output. Only validators ask: histories have decisions that earlier versions took. Throws as `chooseCall` does.
 */
export function checkGivenOutput({ call, decision }: Choice<GateCall>): void {
  if (decision.type !== 'resolve') return;
  const { id, maxOutputChars = Infinity, outputSchema } = call;
  const { length } = asText(decision.output);
  const rule = `the tool of ${id} gives the model at most ${maxOutputChars} (maxOutputChars)`;
  if (length > maxOutputChars)
    throw refusal('resolve', `this result has ${length} characters, and ${rule}. Shorten it.`);
  const problem = outputSchema && strictProblem(outputSchema, decision.output);
  if (problem) throw refusal('resolve', `this answer does not fit the agent's output: ${problem}.`);
}
