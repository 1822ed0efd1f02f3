import { type Approval, approvalId, readApproval } from '../start/approvals.ts';

const PREFIX = 'mcpr_';

/** Id of the output item that asks for the approval. */
export function approvalIdOf(approval: Approval): string {
  return PREFIX + approvalId(approval);
}

/** Undefined for another text. */
export function readApprovalId(id: string): Approval | undefined {
  return id.startsWith(PREFIX) ? readApproval(id.slice(PREFIX.length)) : undefined;
}
