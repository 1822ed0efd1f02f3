import type { OperatorDecision, WaitingCall } from '../../client/index.ts';
import type { RouteName } from '../access/route-table.ts';
import { demand } from '../http/caller.ts';
import { bad } from '../http/read-body.ts';
import type { Approval } from './approvals.ts';
import { type ClientResult, answerClientCalls, checkMayGive } from './client-calls.ts';
import { type Decider, decideAllAs } from './decide-as.ts';
import { ownRun } from './own-runs.ts';

/** The answer of a person to a wait. */
export interface PersonsAnswer extends Approval {
  /** `wait` undefined: the wait is over. Returns undefined for an answer that has no effect then. Throws Refused for one that does not fit the wait. */
  decisionOn(wait: WaitingCall | undefined): OperatorDecision | undefined;
}

/** Answers of a client to a run that waits: those of its person, and results of its own tools. */
export interface RunAnswers {
  persons: readonly PersonsAnswer[];
  results: readonly ClientResult[];
}

/** The run that answers are for, and the waits that they name. */
interface AnsweredRun {
  id: string;
  waits: readonly Approval[];
}

/**
 * Gives the answers, all to one run. All is checked before the first one is given. A result for a wait that is over has no effect, and beside
 * results no other answer has one, so that a request can be sent again. `route`: that of a person's answers, in the table of routes. Throws Refused, RunNotFound, DecisionRefused.
 */
export async function answerRun(
  by: Decider,
  { persons, results }: RunAnswers,
  route: RouteName,
): Promise<AnsweredRun> {
  if (persons.length > 0) demand(by.caller, route);
  const waits = [...results, ...persons].map(({ run, call, n }) => ({ run, call, n }));
  const [id = '', ...others] = new Set(waits.map(({ run }) => run));
  if (others.length > 0)
    throw bad('The answers are for calls of several runs: send one request for each run.');
  const run = await ownRun(by, id);
  if (results.length > 0) await checkMayGive(by, id);
  const { waiting } = persons.length > 0 ? await run.describe() : { waiting: [] };
  const decisions = persons.flatMap((answer) => {
    const { call, n } = answer;
    const wait = waiting.find((one) => one.call === call && one.n === n);
    const isOver = wait === undefined && results.length > 0;
    const decision = isOver ? undefined : answer.decisionOn(wait);
    return decision === undefined ? [] : [{ call, wait: n, decision }];
  });
  await decideAllAs(by, run, decisions);
  if (results.length > 0) await answerClientCalls(by, results);
  return { id, waits };
}

/** The answer to a wait for approval. */
export function approvalAnswer(
  wait: Approval,
  { approve, reason }: { approve: boolean; reason?: string | undefined },
): PersonsAnswer {
  return { ...wait, decisionOn: () => (approve ? { type: 'approve' } : { type: 'reject', reason }) };
}
