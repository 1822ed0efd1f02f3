import { CANCELLED_BY_MODEL } from '../background/background-texts.ts';
import { cancelledTool, rejectedTool, skippedTool } from '../observation/observations.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';
import { type WaitingReason, waitReasonOf, waitingReasons } from './wait-reasons.ts';

/** State of a call that decides which decisions it accepts. `waiting` undefined: the call is running. */
export interface CallState {
  kind: 'model' | 'tool';
  waiting: WaitingReason | undefined;
  /** The wait ends automatically at this time, when the lost attempt must have ended: milliseconds since 1970. */
  until?: number | undefined;
}

/** Fields of a decision beside its call. */
export interface DecisionFields {
  input: Json;
  output: Json;
  reason: string;
  /** Approve later calls of this run as well: all calls of the tool, or those with the same input. */
  remember: 'tool' | 'input';
  /** The secret of the deferred call. The decision is refused if the token belongs to another call. */
  token: string;
}

/** Effect of a decision on its call. `end` of a model call: the observation is the reply. */
export type Effect =
  | { type: 'again'; input?: Json | undefined; remember?: DecisionFields['remember'] | undefined }
  | { type: 'end'; observation: Json; fromTool: boolean }
  | { type: 'cancel'; observation: string }
  /** Ends the run as a run ends that reached its limit. */
  | { type: 'stop' }
  | { type: 'fail'; error: ErrorInfo }
  /** Ends the wait at once; the call continues. */
  | { type: 'now' }
  /** The decision is recorded, and changes nothing. */
  | { type: 'none' };

type Takes = { readonly [F in keyof DecisionFields]?: 'optional' | 'required' };

type FieldsThat<T extends Takes, Need> = { [F in keyof T]: T[F] extends Need ? F : never }[keyof T] &
  keyof DecisionFields;

type FieldsOf<T extends Takes> = { [F in FieldsThat<T, 'required'>]: DecisionFields[F] } & {
  [F in FieldsThat<T, 'optional'>]?: DecisionFields[F] | undefined;
};

/** Rule of one decision. Help texts, checks, and effects all come from this entry. */
interface DecisionRule<T extends Takes> {
  /** Sentence for the command's help and the Web UI. */
  does: string;
  /** State of a call that ended by the decision, in an exported page. */
  past: string;
  /** Data of the update in the Web UI if the decision fits one call only. */
  data: string;
  /** The waits that the decision ends. Empty: the decision is for a running call. */
  reasons: readonly WaitingReason[];
  kind?: CallState['kind'];
  /** Accepts only, or never, waits that end automatically (`until`). Default: accepts both. */
  until?: 'only' | 'never';
  takes: T;
  /** `error`: the failure of a waiting call. */
  effect(given: FieldsOf<T>, error: ErrorInfo | undefined): Effect;
}

function decision<const T extends Takes>(rule: DecisionRule<T>): DecisionRule<T> {
  return rule;
}

/** Every decision, in the order of help texts. */
export const decisions = {
  retry: decision({
    does: 'Run the waiting call again',
    past: 'retried',
    data: 'nothing, or {"input":…} for other input',
    reasons: ['failed', 'doubt', 'answer', 'deferred', 'repeated'],
    until: 'never',
    takes: { input: 'optional' },
    effect: ({ input }) => ({ type: 'again', input }),
  }),
  reconcile: decision({
    does: 'Ask the tool now: the lost attempt is dead',
    past: 'asked about',
    data: 'nothing',
    reasons: ['doubt'],
    until: 'only',
    takes: {},
    effect: () => ({ type: 'now' }),
  }),
  approve: decision({
    does: 'Let the call that waits for approval run',
    past: 'approved',
    data: 'nothing, {"input":…} for other input, or {"remember":"tool"} or {"remember":"input"} not to be asked again in this run',
    reasons: ['approval'],
    takes: { input: 'optional', remember: 'optional' },
    effect: ({ input, remember }) => ({ type: 'again', input, remember }),
  }),
  reject: decision({
    does: 'Do not let the call run; the model is told, and why',
    past: 'rejected',
    data: 'nothing, or {"reason":"…"}',
    reasons: ['approval'],
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'end', observation: rejectedTool(reason), fromTool: false }),
  }),
  resolve: decision({
    does: 'Give the result of the waiting call yourself',
    past: 'resolved',
    data: '{"output":…}',
    reasons: waitingReasons,
    takes: { output: 'required', token: 'optional' },
    effect: ({ output }) => ({ type: 'end', observation: output, fromTool: true }),
  }),
  skip: decision({
    does: 'Continue without the waiting call; the model is told',
    past: 'skipped',
    data: 'nothing, or {"reason":"…"}',
    reasons: ['failed', 'doubt', 'answer', 'deferred', 'client_tool', 'repeated'],
    kind: 'tool',
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'end', observation: skippedTool(reason), fromTool: false }),
  }),
  cancelCall: decision({
    does: 'Cancel one running tool call; the run continues and the model is told',
    past: 'cancelled',
    data: 'nothing',
    reasons: [],
    kind: 'tool',
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'cancel', observation: cancelledTool(reason) }),
  }),
  stop: decision({
    does: 'End a run that waits at its limit',
    past: 'stopped',
    data: 'nothing',
    reasons: ['limit'],
    takes: {},
    effect: () => ({ type: 'stop' }),
  }),
  abort: decision({
    does: 'Fail the run at the waiting call',
    past: 'aborted',
    data: 'nothing, or {"reason":"…"}',
    reasons: waitingReasons,
    takes: { reason: 'optional' },
    effect: ({ reason }, error) => ({ type: 'fail', error: aborted(reason, error) }),
  }),
};

export type DecisionName = keyof typeof decisions;

/** A person's decision on a call. `by`: the name of the person, as the sender says. */
export type OperatorDecision = {
  [N in DecisionName]: { type: N; by?: string | undefined } & FieldsOf<(typeof decisions)[N]['takes']>;
}[DecisionName];

/** Decision on a background call that the model cancels. A person's comes with an update; this one is part of the model's own call. */
export const CANCEL_BY_MODEL: OperatorDecision = { type: 'cancelCall', reason: CANCELLED_BY_MODEL };

/** Returns true if an early answer has the token of the deferred call. */
export function isAnswerFor(token: string | undefined, answer: OperatorDecision): boolean {
  return token !== undefined && answer.type === 'resolve' && answer.token === token;
}

/** The names of all decisions. */
export const decisionNames = Object.keys(decisions) as DecisionName[]; // the keys of the literal above

/** Returns the rule of a decision, without the types of its fields. */
export function ruleOf(name: DecisionName): DecisionRule<Takes> {
  return decisions[name];
}

/** Description of the decision's update in the Web UI. Shows NUMBER, not a call id, because readers would send an example's id. */
export function helpOf(name: DecisionName): string {
  const { does, data, takes } = ruleOf(name);
  const forms = [
    ...(Object.values(takes).includes('required') ? [] : ["the call's number in quotes"]),
    ...(Object.keys(takes).length === 0 ? [] : ['"call":"NUMBER" in the object']),
  ];
  return `${does}. Data: ${data}. If several calls fit: ${forms.join(', or ')}.`;
}

/** Makes a decision of the sent fields. Fields that the decision does not take are left out. */
export function decisionOf(
  type: DecisionName,
  sent: { [F in keyof DecisionFields | 'by']?: unknown },
): OperatorDecision {
  const names = [...Object.keys(ruleOf(type).takes), 'by'] as (keyof DecisionFields | 'by')[]; // the keys of Takes
  const fields = names.flatMap((field) => (sent[field] === undefined ? [] : [[field, sent[field]]]));
  return { type, ...Object.fromEntries(fields) } as OperatorDecision; // just these fields
}

/** The run's answer to a decision. */
export interface DecisionReceipt {
  call: string;
  n: number;
  decision: DecisionName;
  /** An answer by token for a running call. It is used if the call defers with that token, and dropped otherwise. */
  kept?: true | undefined;
}

/** Makes the decision for events, reports, and exports: the token is a secret. */
export function withoutToken<D extends OperatorDecision>(taken: D): D {
  const { token: _, ...shown } = taken as D & { token?: string };
  return shown as D; // only the token is gone
}

export function effectOf(taken: OperatorDecision, error?: ErrorInfo): Effect {
  return ruleOf(taken.type).effect(taken, error);
}

export function decisionFits(name: DecisionName, { kind, waiting, until }: CallState): boolean {
  const rule = ruleOf(name);
  if (rule.kind !== undefined && rule.kind !== kind) return false;
  if (rule.until === (until === undefined ? 'only' : 'never')) return false;
  return waiting === undefined ? rule.reasons.length === 0 : rule.reasons.includes(waiting);
}

/** Returns the decisions that a call accepts; the usual one is the first. */
export function fittingDecisions(call: CallState): DecisionName[] {
  const fitting = decisionNames.filter((name) => decisionFits(name, call));
  const awaitsResult = call.waiting !== undefined && waitReasonOf(call.waiting).awaitsResult === true;
  return awaitsResult ? ['resolve', ...fitting.filter((name) => name !== 'resolve')] : fitting;
}

function aborted(reason: string | undefined, error: ErrorInfo | undefined): ErrorInfo {
  // The message adds the full stop; most reasons have one already.
  const why = reason === undefined ? '' : `: ${reason.replace(/\.$/u, '')}`;
  const what = error === undefined ? '' : ` The call had failed: ${error.message}`;
  return { type: 'Aborted', message: `Aborted by the operator${why}.${what}` };
}
