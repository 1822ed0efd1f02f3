import type { AgentRun, OperatorDecision, WaitingCall } from '../../client/index.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { isForWaiting, resolveTargetCall } from '../../client/read/resolve-target.ts';
import { isAllowed } from '../http/caller.ts';
import { hasAsked } from './own-runs.ts';
import { Refused } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';

/** A number that no wait has: the call must not start to wait between the look at it and the decision. */
const NO_WAIT = Number.MAX_SAFE_INTEGER;

/** The sender of a decision, and the client in the sender's name. */
export type Decider = Pick<ProtocolRequest, 'client' | 'caller'>;

/** Returns true if the caller may approve calls of the run, and give them other input. Throws RunNotFound. */
export async function mayApprove(by: Decider, id: string): Promise<boolean> {
  return isAllowed(by.caller, 'own-approvals') || !(await hasAsked(by, id));
}

/**
 * Decides on a call in the caller's name. Who asked cannot approve: on an own run, a caller without `own-approvals` decides neither on a
 * wait for approval, nor on other input of a call. Throws Refused and the errors of `AgentRun.decide`.
 */
export async function decideAs(
  by: Decider,
  run: AgentRun,
  call: string | undefined,
  decision: OperatorDecision,
  wait?: number,
): ReturnType<AgentRun['decide']> {
  if (await mayApprove(by, run.id)) return run.decide(call, decision, wait);
  const { waiting } = await run.describe();
  const isOfWait = isForWaiting(decision.type);
  const meant = call ?? (isOfWait ? resolveTargetCall(waiting, decision.type) : undefined);
  const found = waiting.find((one) => one.call === meant);
  if (isApproval(decision, found)) throw notOwn(by.caller, run.id);
  return run.decide(meant, decision, wait ?? found?.n ?? (isOfWait ? NO_WAIT : undefined));
}

/** Returns true for a decision on a wait for approval, and for one that gives a call other input. */
export function isApproval(decision: OperatorDecision, wait: WaitingCall | undefined): boolean {
  return (
    wait?.reason === 'approval' || decision.type === 'approve' || fieldOf(decision, 'input') !== undefined
  );
}

/** Retries a run that has ended. Another input of a call counts as its approval, as in a decision. Throws Refused and the errors of `AgentRun.retry`. */
export async function retryAs(
  by: Decider,
  run: AgentRun,
  options: Parameters<AgentRun['retry']>[0] = {},
): ReturnType<AgentRun['retry']> {
  if (options.input !== undefined && !(await mayApprove(by, run.id))) throw notOwn(by.caller, run.id);
  return run.retry(options);
}

export function notOwn({ name }: Decider['caller'], run: string): Refused {
  return new Refused(
    403,
    'Forbidden',
    `${name} has started run ${run}, so another person approves its calls. To approve one's own, the entry of ${name} needs may: ["own-approvals"].`,
  );
}
