import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { OperatorDecision, Park } from '../agent/events.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { DecisionData } from './messages.ts';

/** A tool call under way: running, or parked for a person. */
export interface OpenCall {
  /** As people type it: `3.1`, in a later runAgent of one workflow `1/3.1`. */
  id: string;
  n: number;
  park: Park | undefined;
  /** Calls that wait within this one, which is a sub-agent. */
  childParks: Park[];
}

/** The call a decision is meant for, and the decision, both checked. */
export interface Choice<C extends OpenCall> {
  call: C;
  decision: OperatorDecision;
}

/** The one gate of all decisions. Throws a plain Error whose message says what would fit. */
export function chooseCall<C extends OpenCall>(
  open: readonly C[],
  type: OperatorDecision['type'],
  data: unknown,
): Choice<C> {
  const given = parseData(type, data);
  checkFields(type, given);
  const call = findCall(open, type, given.call);
  checkState(call, type, given.park);
  return { call, decision: toDecision(type, given) };
}

function parseData(type: string, data: unknown): DecisionData {
  if (data === undefined || data === null || data === '') return {};
  if (typeof data === 'string') return { call: data };
  // The Web UI's form turns an unquoted 3.1 into a number.
  if (typeof data === 'number') return { call: String(data) };
  if (typeof data !== 'object' || Array.isArray(data))
    throw new Error(`${type}: data is a call id or an object.`);
  const known = ['call', 'park', 'input', 'output', 'reason'];
  const unknown = Object.keys(data).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw new Error(`${type}: unknown field ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  }
  if (utf8Length(JSON.stringify(data)) > limits.decisionBytes) {
    throw new Error(`${type}: the data is larger than ${limits.decisionBytes} bytes. Shorten it.`);
  }
  const { call, park, reason, ...values } = data as { [key: string]: Json }; // came as JSON
  if (call !== undefined && typeof call !== 'string' && typeof call !== 'number') {
    throw new Error(`${type}: call is an id such as "3.1".`);
  }
  if (park !== undefined && typeof park !== 'number') throw new Error(`${type}: park is a number.`);
  if (reason !== undefined && typeof reason !== 'string') throw new Error(`${type}: reason is a text.`);
  return {
    ...values,
    ...(call === undefined ? {} : { call: String(call) }),
    ...(park === undefined ? {} : { park }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** What a decision has no use for was meant for another one. */
function checkFields(type: OperatorDecision['type'], { input, output }: DecisionData): void {
  if (input !== undefined && type !== 'retry') {
    throw new Error(`${type}: does not take input. To run the call with it, send retry.`);
  }
  if (output !== undefined && type !== 'resolve') {
    throw new Error(`${type}: does not take output. To give the result, send resolve.`);
  }
}

function findCall<C extends OpenCall>(open: readonly C[], type: string, id: string | undefined): C {
  const fitting = open.filter((call) =>
    type === 'cancelCall' ? call.park === undefined : call.park !== undefined,
  );
  const state = type === 'cancelCall' ? 'running' : 'waiting';
  const list =
    fitting.length === 0
      ? `No call is ${state}.`
      : `Now ${state}: ${fitting.map((call) => call.id).join(', ')}.`;
  if (id === undefined) {
    const only = fitting.length === 1 ? fitting[0] : undefined;
    if (only === undefined) throw new Error(`${type}: say which call. ${list}`);
    return only;
  }
  const found = open.find((call) => call.id === id);
  if (found !== undefined) return found;
  if (open.some(({ childParks }) => childParks.some(({ call }) => call === id))) {
    throw new Error(
      `${type}: ${id} waits in the run of a sub-agent. The client and the CLI send it there; in the Web UI, open the child workflow.`,
    );
  }
  throw new Error(`${type}: there is no open call ${id}. ${list}`);
}

function checkState(call: OpenCall, type: OperatorDecision['type'], park: number | undefined): void {
  if (type === 'cancelCall') {
    if (call.park !== undefined) {
      throw new Error(
        `cancelCall: ${call.id} is not running, it waits. Possible: retry, resolve, skip, abort.`,
      );
    }
    return;
  }
  if (call.park === undefined) {
    throw new Error(`${type}: ${call.id} is running, it does not wait. Possible: cancelCall.`);
  }
  if (park !== undefined && park !== call.park.n) {
    throw new Error(`${type}: ${call.id} waits at park ${call.park.n} by now, not ${park}. Look again.`);
  }
}

function toDecision(
  type: OperatorDecision['type'],
  { input, output, reason }: DecisionData,
): OperatorDecision {
  const why = reason === undefined ? {} : { reason };
  switch (type) {
    case 'retry':
      return input === undefined ? { type } : { type, input };
    case 'resolve':
      if (output === undefined) throw new Error('resolve: output is missing. Data: {"output":"…"}.');
      return { type, output };
    case 'skip':
    case 'cancelCall':
    case 'abort':
      return { type, ...why };
  }
}
