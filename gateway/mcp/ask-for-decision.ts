import type { McpServer } from '@modelcontextprotocol/server';
import type { OperatorDecision, WaitingCall } from '../../client/index.ts';
import { decisionIn, formOf } from './decision-form.ts';

/** People may take their time. */
const ANSWER_MS = 86_400_000;

/** Sends the decision on a call of the run. `wait`: the `n` of the wait. */
export type SendDecision = (call: string, decision: OperatorDecision, wait: number) => Promise<unknown>;

/** Has a client of 2025-11-25 or earlier ask a person, and sends the decision to the run. Returns false where the person does not decide. */
export async function askForDecision(
  { server }: McpServer,
  decide: SendDecision,
  wait: WaitingCall,
  signal: AbortSignal,
): Promise<boolean> {
  const decision = decisionIn(wait, await server.elicitInput(formOf(wait), { signal, timeout: ANSWER_MS }));
  if (decision === undefined) return false;
  await decide(wait.call, decision, wait.n);
  return true;
}
