import { cancelledTool, rejectedTool, skippedTool } from '../observation/observations.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';
import { type WaitingReason, waitingReasons } from './wait-reasons.ts';

/** A call as decisions see it: the model is asked, or a tool; it waits for a person, or runs. */
export interface CallState {
  kind: 'model' | 'tool';
  waiting: WaitingReason | undefined;
  /** The wait ends by itself, when the lost attempt must have ended. */
  until?: number | undefined;
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
  /** The call goes on at once: its wait is not needed any more. */
  | { type: 'now' }
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
  /** State of a call that ended by the decision, in an exported page. */
  past: string;
  /** Data of the update in the Web UI when one call fits. */
  data: string;
  /** The waits that it ends. None: it is for a call that runs. */
  reasons: readonly WaitingReason[];
  /** Only calls of this kind. */
  kind?: CallState['kind'];
  /** Waits that end by themselves (`until`). Default: as all others. */
  until?: 'only' | 'never';
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
    past: 'retried',
    data: 'nothing, or {"input":…} for other input',
    reasons: ['failed', 'doubt', 'deferred', 'repeated'],
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
    reasons: ['failed', 'doubt', 'deferred', 'repeated'],
    kind: 'tool',
    takes: { reason: 'optional' },
    effect: ({ reason }) => ({ type: 'end', observation: skippedTool(reason), fromTool: false }),
  }),
  cancelCall: decision({
    does: 'Cancel one running tool call; the run goes on and the model is told',
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

/** What a person decided of a call. */
export type OperatorDecision = {
  [N in DecisionName]: { type: N } & Given<(typeof decisions)[N]['takes']>;
}[DecisionName];

/** An early answer fits a deferred call if it has the call's token. */
export function isAnswerFor(token: string | undefined, made: OperatorDecision): boolean {
  return token !== undefined && made.type === 'resolve' && made.token === token;
}

export const decisionNames = Object.keys(decisions) as DecisionName[]; // the keys of the literal above

/** The same rules without the types of their fields. */
export function ruleOf(name: DecisionName): DecisionRule<Takes> {
  return decisions[name];
}

/** The description of the decision's update in the Web UI. Names no call: a reader would send the number of the example. */
export function helpOf(name: DecisionName): string {
  const { does, data, takes } = ruleOf(name);
  const forms = [
    ...(Object.values(takes).includes('required') ? [] : ["the call's number in quotes"]),
    ...(Object.keys(takes).length === 0 ? [] : ['"call":"NUMBER" in the object']),
  ];
  return `${does}. Data: ${data}. If several calls fit: ${forms.join(', or ')}.`;
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

/** A decision as events, reports and exports have it: without the token, which is a secret. */
export function shownDecision(
  type: DecisionName,
  sent: { [F in keyof DecisionFields]?: unknown },
): OperatorDecision {
  return decisionOf(type, { ...sent, token: undefined });
}

/** The same of a decision that was taken. */
export function withoutToken<D extends OperatorDecision>(made: D): D {
  const { token: _, ...shown } = made as D & { token?: string };
  return shown as D; // only the token is gone
}

export function effectOf(made: OperatorDecision, error?: ErrorInfo): Effect {
  return ruleOf(made.type).effect(made, error);
}

/** Returns true if the rule of the decision accepts a call in this state. */
export function decisionFits(name: DecisionName, { kind, waiting, until }: CallState): boolean {
  const rule = ruleOf(name);
  if (rule.kind !== undefined && rule.kind !== kind) return false;
  if (rule.until === (until === undefined ? 'only' : 'never')) return false;
  return waiting === undefined ? rule.reasons.length === 0 : rule.reasons.includes(waiting);
}

/** The decisions that a call in this state takes. */
export function fittingDecisions(call: CallState): DecisionName[] {
  return decisionNames.filter((name) => decisionFits(name, call));
}

function aborted(reason: string | undefined, error: ErrorInfo | undefined): ErrorInfo {
  // Most people end a sentence themselves.
  const why = reason === undefined ? '' : `: ${reason.replace(/\.$/u, '')}`;
  const what = error === undefined ? '' : ` The call had failed: ${error.message}`;
  return { type: 'Aborted', message: `Aborted by the operator${why}.${what}` };
}
