import type { OperatorDecision, WaitingCall } from '../../client/index.ts';
import type { RouteName } from '../access/route-table.ts';
import { demand } from '../http/caller.ts';
import { bad } from '../http/read-body.ts';
import type { Approval } from './approvals.ts';
import { type ClientResult, answerClientCalls, checkMayGive } from './client-calls.ts';
import { decideAll } from './decide-all.ts';
import type { Decider } from './decide-as.ts';
import { ownRun } from './own-runs.ts';

/** The answer of a person to a wait. */
export interface PersonsAnswer extends Approval {
  /** Throws Refused for an answer that does not fit the wait. */
  decisionOn(wait: WaitingCall): OperatorDecision;
  /** The person approves the call. */
  approves?: boolean;
}

/** Reads an answer of a person, once the caller is known to be one who may decide. Throws Refused for one that cannot be read. */
export type SentAnswer = () => PersonsAnswer;

/** Answers of a client to a run that waits: those of its person, and results of its own tools. */
export interface RunAnswers {
  persons: readonly SentAnswer[];
  results: readonly ClientResult[];
}

/** The run that answers are for, and the waits that they name. */
interface AnsweredRun {
  id: string;
  waits: readonly Approval[];
}

/** `route`: that of a person's answers, in the table of routes. `agent`: the agent that the run has to be of. */
interface AnswerUse {
  route: RouteName;
  agent?: string | undefined;
}

/**
 * Gives the answers, all to one run. All is checked before the first one is given. A result for a wait that is over has no effect, and a person's
 * answer is sent again as `decideAll` says. Throws Refused, RunNotFound, DecisionRefused.
 */
export async function answerRun(
  by: Decider,
  { persons: sent, results }: RunAnswers,
  { route, agent }: AnswerUse,
): Promise<AnsweredRun> {
  if (sent.length > 0) demand(by.caller, route);
  const persons = sent.map((read) => read());
  const waits = [...results, ...persons].map(({ run, call, n }) => ({ run, call, n }));
  const [id = '', ...others] = new Set(waits.map(({ run }) => run));
  if (others.length > 0)
    throw bad('The answers are for calls of several runs: send one request for each run.');
  const run = await ownRun(by, id, agent);
  if (results.length > 0) await checkMayGive(by, id);
  await decideAll(
    by,
    run,
    persons.map(({ call, n, decisionOn }) => ({ call, wait: n, decision: decisionOn })),
  );
  if (results.length > 0) await answerClientCalls(run, results);
  return { id, waits };
}

/** A person's approval of a call, as protocols write it. */
interface SentApproval {
  approve: boolean;
  reason?: string | undefined;
}

/** The answer to a wait for approval. */
export function approvalAnswer(wait: Approval, { approve, reason }: SentApproval): PersonsAnswer {
  const decision: OperatorDecision = approve ? { type: 'approve' } : { type: 'reject', reason };
  return { ...wait, decisionOn: () => decision, approves: approve };
}
