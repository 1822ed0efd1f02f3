import { z } from '@hono/zod-openapi';
import {
  calledText,
  type DecisionName,
  type OperatorDecision,
  possibleDecisions,
  reasonText,
  type WaitingCall,
} from '../../client/index.ts';
import { demand } from '../http/caller.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { bad } from '../http/read-body.ts';
import { sentDecision } from '../http/sent-decision.ts';
import { ownRun } from '../start/own-runs.ts';
import { decideAs } from '../start/decide-as.ts';
import { type Approval, approvalId, readApproval } from '../start/approvals.ts';
import type { AguiInterrupt } from './agui-types.ts';
import { idsOf } from './agui-messages.ts';

/** An answer to an interrupt, as a client sends it. */
export const resumeEntry = z.object({
  interruptId: z.string(),
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown(),
});
export type ResumeEntry = z.output<typeof resumeEntry>;

export function interruptOf(run: string, wait: WaitingCall): AguiInterrupt {
  const { call, n, tool, toolInput, reason, error, note } = wait;
  const decisions = possibleDecisions(wait).map(({ type }) => type);
  return {
    id: approvalId({ run, call, n }),
    reason,
    message: `${calledText(wait)} ${reasonText(wait)}${error === undefined ? '' : `: ${error.message}`}`,
    ...(call.includes('.') && !call.includes('/') && { toolCallId: idsOf(run).tool(call) }),
    responseSchema: reason === 'approval' ? APPROVAL_SCHEMA : decisionSchema(decisions),
    metadata: { run, call, n, tool, toolInput, decisions, ...(note !== undefined && { note }) },
  };
}

const APPROVAL_SCHEMA = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    reason: { type: 'string', description: 'Reason, for the model.' },
    editedArgs: { description: 'Other input of the tool.' },
  },
  required: ['approved'],
};

function decisionSchema(decisions: readonly DecisionName[]): object {
  return {
    type: 'object',
    properties: {
      type: { enum: decisions },
      output: { description: 'For `resolve`: the result of the call.' },
      input: { description: 'For `retry`: other input of the tool.' },
      reason: { type: 'string' },
    },
    required: ['type'],
  };
}

/**
 * Gives the answers of a person, all to one run. Returns the waits. An answer that was given before has no effect, so that a request can be
 * sent again. Throws Refused, RunNotFound, DecisionRefused.
 */
export async function answerInterrupts(
  { client, caller }: Pick<ProtocolRequest, 'client' | 'caller'>,
  entries: readonly ResumeEntry[],
): Promise<Approval[]> {
  demand(caller, 'POST /ag-ui/:agent resume');
  const waits = entries.map(({ interruptId }) => waitOf(interruptId));
  const id = waits[0]?.run ?? '';
  if (waits.some(({ run }) => run !== id)) throw bad('The interrupts are of several runs: answer one run.');
  const run = await ownRun({ client, caller }, id);
  const { waiting } = await run.describe();
  for (const [index, { call, n }] of waits.entries()) {
    const wait = waiting.find((one) => one.call === call && one.n === n);
    const entry = entries[index];
    if (wait !== undefined && entry !== undefined) {
      await decideAs({ client, caller }, run, call, decisionOf(wait, entry), n);
    }
  }
  return waits;
}

function waitOf(interruptId: string): Approval {
  const wait = readApproval(interruptId);
  if (wait === undefined) throw bad(`${interruptId} is not the id of an interrupt.`);
  return wait;
}

const approvalPayload = z.object({
  approved: z.boolean(),
  reason: z.string().optional(),
  editedArgs: z.json().optional(),
});
const decisionPayload = z.looseObject({ type: z.string() });

function decisionOf(
  { reason: cause, call }: WaitingCall,
  { status, payload }: ResumeEntry,
): OperatorDecision {
  if (cause !== 'approval') {
    const { data } = decisionPayload.safeParse(payload);
    if (status === 'resolved' && data !== undefined) return sentDecision(data);
    throw bad(`resume: the payload for ${call} is a decision, such as {"type":"retry"}.`);
  }
  if (status === 'cancelled') return { type: 'reject' };
  const { data } = approvalPayload.safeParse(payload);
  if (data === undefined)
    throw bad(`resume: the payload for ${call} is {"approved":true} or {"approved":false}.`);
  const { approved, reason, editedArgs: input } = data;
  return approved ? { type: 'approve', input } : { type: 'reject', reason };
}
