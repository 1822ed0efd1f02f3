import type { OperatorDecision } from '../../client/index.ts';
import { demand } from '../http/caller.ts';
import { ownRun } from './own-runs.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { bad } from '../http/read-body.ts';
import type { RouteName } from '../access/route-table.ts';
import { decideAs } from './decide-as.ts';

/** The `n`th wait of a call, for a client that answers it: with an approval, or with the result of its own tool. */
export interface Approval {
  run: string;
  call: string;
  n: number;
}

/** The answer of a person. */
export interface ApprovalAnswer extends Approval {
  approve: boolean;
  reason?: string | undefined;
}

/** Id of a wait for clients of a protocol. The id says everything, so each gateway can take the answer. */
export function approvalId({ run, call, n }: Approval): string {
  return `${run}:${call}:${n}`;
}

/** Undefined for another text. */
export function readApproval(id: string): Approval | undefined {
  const [, run, call, n] = /^(.+):([\d./]+):(\d+)$/su.exec(id) ?? [];
  return run === undefined || call === undefined ? undefined : { run, call, n: Number(n) };
}

/** Gives the answers of a person, all to one run. `route`: in the table of routes. Returns the id of the run. Throws Refused, RunNotFound, DecisionRefused. */
export async function answerApprovals(
  { client, caller }: Pick<ProtocolRequest, 'client' | 'caller'>,
  answers: readonly ApprovalAnswer[],
  route: RouteName,
): Promise<string> {
  demand(caller, route);
  const [id = '', ...others] = new Set(answers.map(({ run }) => run));
  if (others.length > 0)
    throw bad('The approvals are for calls of several runs: send one request for each run.');
  const run = await ownRun({ client, caller }, id);
  for (const { call, n, approve, reason } of answers) {
    const decision: OperatorDecision = approve ? { type: 'approve' } : { type: 'reject', reason };
    await decideAs({ client, caller }, run, call, decision, n);
  }
  return id;
}
