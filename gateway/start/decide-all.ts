import {
  type AgentRun,
  calledText,
  DecisionRefused,
  type OperatorDecision,
  possibleDecisions,
  type WaitingCall,
} from '../../client/index.ts';
import { Refused, problemOf } from '../http/problem.ts';
import { type Decider, decideAs, isApproval, mayApprove, notOwn } from './decide-as.ts';
import { type NamedWait, checkSame, isWait, readPastWaits } from './past-wait.ts';

/**
 * A decision on a call of a run. `wait`: the `n` of the wait that was looked at. `decision` as a function: the decision on that wait; undefined if the
 * person does not decide. Throws Refused for an answer that does not fit the wait.
 */
export type CallDecision =
  | (NamedWait & { decision: OperatorDecision | ((wait: WaitingCall) => OperatorDecision | undefined) })
  | { call?: string | undefined; wait?: undefined; decision: OperatorDecision };

interface OpenDecision {
  call?: string | undefined;
  wait?: number | undefined;
  decision: OperatorDecision;
}

/**
 * Decides on calls of a run in the caller's name. This is the rule of all protocols for a request that is sent again: a decision that was made on
 * that wait before is accepted and has no effect, another one is refused. All decisions are checked before the first is made; where the run
 * refuses one after that, the error names those that were made. Throws Refused, RunNotFound and the errors of `AgentRun.decide`.
 */
export async function decideAll(
  by: Decider,
  run: AgentRun,
  decisions: readonly CallDecision[],
): Promise<void> {
  if (decisions.length === 0) return;
  const approves = await mayApprove(by, run.id);
  const { waiting } = await run.describe();
  const isOver = (sent: CallDecision): sent is CallDecision & NamedWait =>
    sent.wait !== undefined && !waiting.some(isWait(sent));
  const pastWait = await readPastWaits(run, decisions.filter(isOver));
  const open: OpenDecision[] = [];
  for (const sent of decisions) {
    const past = isOver(sent) ? pastWait(sent) : undefined;
    const wait = past?.wait ?? waiting.find(({ call, n }) => call === sent.call && n === (sent.wait ?? n));
    const decision = typeof sent.decision === 'function' ? wait && sent.decision(wait) : sent.decision;
    if (decision === undefined) continue;
    if (!approves && isApproval(decision, wait)) throw notOwn(by.caller, run.id);
    if (past !== undefined) checkSame(past, decision);
    else {
      if (wait !== undefined) checkFits(wait, decision);
      open.push({ call: sent.call, wait: sent.wait, decision });
    }
  }
  for (const [index, one] of open.entries()) {
    try {
      await decide(by, run, one);
    } catch (error) {
      throw index === 0 ? error : partlyMade(open, index, error);
    }
  }
}

/** Throws Refused for a decision that the wait does not take. The run checks the data. */
function checkFits(wait: WaitingCall, { type }: OperatorDecision): void {
  const possible = possibleDecisions(wait).map((one) => one.type);
  if (possible.includes(type)) return;
  const what = `${type} does not fit ${calledText(wait)}. Possible: ${possible.join(', ')}.`;
  throw new Refused(409, 'DecisionRefused', what);
}

/** Makes the decision, unless somebody else has just made the same one. */
async function decide(by: Decider, run: AgentRun, { call, wait, decision }: OpenDecision): Promise<void> {
  if (call === undefined || wait === undefined) {
    await decideAs(by, run, call, decision, wait);
    return;
  }
  await run.decide(call, decision, wait).catch(async (error: unknown) => {
    if (!(error instanceof DecisionRefused)) throw error;
    const named = { call, wait };
    const { waiting } = await run.describe();
    if (waiting.some(isWait(named))) throw error;
    const past = (await readPastWaits(run, [named]))(named);
    if (past.decision === undefined) throw error;
    checkSame(past, decision);
  });
}

/** The error of a decision after others that were made. */
function partlyMade(all: readonly OpenDecision[], index: number, error: unknown): unknown {
  const { status, code, detail } = problemOf(error);
  if (status === 500) return error;
  const names = all.map(({ call = 'the call' }) => call);
  const left = names.slice(index + 1);
  const rest = left.length === 0 ? '' : ` Not decided: ${left.join(', ')}.`;
  return new Refused(
    status,
    code,
    `Decided: ${names.slice(0, index).join(', ')}. ${names[index]}: ${detail}${rest}`,
  );
}
