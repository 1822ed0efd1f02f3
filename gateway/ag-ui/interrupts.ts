import { z } from '@hono/zod-openapi';
import {
  calledText,
  type DecisionName,
  type OperatorDecision,
  possibleDecisions,
  reasonText,
  type WaitingCall,
} from '../../client/index.ts';
import { bad, parsed } from '../http/read-body.ts';
import { sentDecision } from '../http/sent-decision.ts';
import type { PersonsAnswer, SentAnswer } from '../start/answer-run.ts';
import { approvalId, readApproval } from '../start/approvals.ts';
import type { AguiInterrupt } from './agui-types.ts';
import { idsOf } from './agui-messages.ts';

/** An answer to an interrupt, as a client sends it. */
const resumeEntry = z.object({
  interruptId: z.string(),
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});
type ResumeEntry = z.output<typeof resumeEntry>;

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

/** The answers of a person to interrupts, as the field `resume` has them. */
export function answersIn(resume: unknown): SentAnswer[] {
  if (resume === undefined || resume === null) return [];
  if (!Array.isArray(resume)) return [() => answerOf(resume)];
  return resume.map((entry: unknown) => () => answerOf(entry));
}

function answerOf(sent: unknown): PersonsAnswer {
  const entry = parsed(resumeEntry, sent);
  const { interruptId: id } = entry;
  const named = readApproval(id);
  if (named === undefined) throw bad(`${id} is not the id of an interrupt.`);
  return { ...named, decisionOn: (wait) => decisionOf(wait, entry) };
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
