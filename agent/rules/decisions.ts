import { cancelledTool, rejectedTool, skippedTool } from '../observations.ts';
import type { ErrorInfo, Json, WaitingReason } from '../vocabulary.ts';

/** A call as decisions see it: the model is asked, or a tool; it waits for a person, or runs. */
export interface CallState {
  kind: 'model' | 'tool';
  waiting: WaitingReason | undefined;
}

/** What a decision may carry beside the call it is for. */
export interface DecisionFields {
  input: Json;
  output: Json;
  reason: string;
  /** What else the decision holds for: every call of the tool in this run, or those with the same input. */
  remember: 'tool' | 'input';
  /** What a deferred call gave to whom it waits for; it has to be that call's. */
  token: string;
}

/** What a decision does to its call. `end`: of a model call, the observation is the reply. */
export type Effect =
  | { type: 'again'; input?: Json | undefined; remember?: DecisionFields['remember'] | undefined }
  | { type: 'end'; observation: Json; fromTool: boolean }
  | { type: 'cancel'; observation: string }
  /** The run ends as its limit would have ended it. */
  | { type: 'stop' }
  | { type: 'fail'; error: ErrorInfo }
  /** It is recorded, and the call goes on as it was. */
  | { type: 'none' };

type Takes = { readonly [F in keyof DecisionFields]?: 'optional' | 'required' };

type FieldsThat<T extends Takes, Need> = { [F in keyof T]: T[F] extends Need ? F : never }[keyof T] &
  keyof DecisionFields;

type Given<T extends Takes> = { [F in FieldsThat<T, 'required'>]: DecisionFields[F] } & {
  [F in FieldsThat<T, 'optional'>]?: DecisionFields[F] | undefined;
};

/** One thing that a person can decide of a call: everything that is said of it anywhere comes from here. */
interface DecisionRule<T extends Takes> {
  /** What it does, in the words of the command's help and the Web UI's. */
  does: string;
  /** What to type as data, beside the update in the Web UI. */
  data: string;
  fits(call: CallState): boolean;
  takes: T;
  /** `error`: what the call failed of, where it waits. */
  effect(given: Given<T>, error: ErrorInfo | undefined): Effect;
}

function decision<const T extends Takes>(rule: DecisionRule<T>): DecisionRule<T> {
  return rule;
}

/** Every decision, in the order in which people are told of them. */
export const decisions = {
  retry: decision({
    does: 'Run the waiting call again',
    data: 'nothing when one call waits, "3.1", or {"call":"3.1","input":…} for other input',
    fits: ({ waiting }) => waiting !== undefined && waiting !== 'approval' && waiting !== 'limit',
    takes: { input: 'optional' },
    effect: ({ input }) => ({ type: 'again', input }),
  }),
  approve: decision({
    does: 'Let the call that waits for approval run',
    data: 'nothing, "3.1", or {"call":"3.1","input":…,"remember":"tool"}; remember is "tool" or "input": not asked again in this run',
    fits: ({ waiting }) => waiting === 'approval',
    takes: { input: 'optional', remember: 'optional' },
    effect: ({ input, remember }) => ({ type: 'again', input, remember }),
  }),
  reject: decision({
    does: 'Do not let the call run; the model is told, and why',
    data: 'nothing, "3.1", or {"call":"3.1","reason":"…"}',
    fits: ({ waiting }) => waiting === 'approval',
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'end', observation: rejectedTool(reason), fromTool: false }),
  }),
  resolve: decision({
    does: 'Give the result of the waiting call yourself',
    data: '{"output":"…"} or {"call":"3.1","output":…}',
    fits: ({ waiting }) => waiting !== undefined,
    takes: { output: 'required', token: 'optional' },
    effect: ({ output }) => ({ type: 'end', observation: output, fromTool: true }),
  }),
  skip: decision({
    does: 'Go on without the waiting call; the model is told',
    data: 'nothing, "3.1", or {"call":"3.1","reason":"…"}',
    fits: ({ kind, waiting }) => kind === 'tool' && waiting !== undefined && waiting !== 'approval',
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'end', observation: skippedTool(reason), fromTool: false }),
  }),
  cancelCall: decision({
    does: 'Cancel one running tool call; the run goes on and the model is told',
    data: '"3.1" or nothing',
    fits: ({ kind, waiting }) => kind === 'tool' && waiting === undefined,
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'cancel', observation: cancelledTool(reason) }),
  }),
  stop: decision({
    does: 'Let the run stop at the limit that it has come to',
    data: 'nothing',
    fits: ({ waiting }) => waiting === 'limit',
    takes: {},
    effect: () => ({ type: 'stop' }),
  }),
  abort: decision({
    does: 'Fail the run at the waiting call',
    data: 'nothing or {"reason":"…"}',
    fits: ({ waiting }) => waiting !== undefined,
    takes: { reason: 'optional' },
    effect: ({ reason }, error) => ({ type: 'fail', error: aborted(reason, error) }),
  }),
};

export type DecisionName = keyof typeof decisions;

/** What a person decided of a call. */
export type OperatorDecision = {
  [N in DecisionName]: { type: N } & Given<(typeof decisions)[N]['takes']>;
}[DecisionName];

export const decisionNames = Object.keys(decisions) as DecisionName[]; // the keys of the literal above

/** The same rules without the types of their fields. */
export function ruleOf(name: DecisionName): DecisionRule<Takes> {
  return decisions[name];
}

/** What stands beside the decision's update in the Web UI. */
export function helpOf(name: DecisionName): string {
  const { does, data } = ruleOf(name);
  return `${does}. Data: ${data}.`;
}

/** A decision out of what was sent with it; what it does not take is left out. */
export function decisionOf(
  type: DecisionName,
  sent: { [F in keyof DecisionFields]?: unknown },
): OperatorDecision {
  const taken = Object.keys(ruleOf(type).takes) as (keyof DecisionFields)[]; // as their type says
  const fields = taken.flatMap((field) => (sent[field] === undefined ? [] : [[field, sent[field]]]));
  return { type, ...Object.fromEntries(fields) } as OperatorDecision; // just these fields
}

export function effectOf(made: OperatorDecision, error?: ErrorInfo): Effect {
  return ruleOf(made.type).effect(made, error);
}

/** The decisions that a call in this state takes. */
export function fittingDecisions(call: CallState): DecisionName[] {
  return decisionNames.filter((name) => ruleOf(name).fits(call));
}

function aborted(reason: string | undefined, error: ErrorInfo | undefined): ErrorInfo {
  const why = reason === undefined ? '' : `: ${reason}`;
  const what = error === undefined ? '' : ` The call had failed: ${error.message}`;
  return { type: 'Aborted', message: `Aborted by the operator${why}.${what}` };
}
