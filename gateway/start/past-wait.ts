import { type AgentRun, calledText, type OperatorDecision, type WaitingCall } from '../../client/index.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import { Refused } from '../http/problem.ts';

/** The `n` of a wait of a call. */
export interface NamedWait {
  call: string;
  wait: number;
}

/** A wait that is over. `decision` undefined: it ended without one. */
export interface PastWait {
  wait: WaitingCall;
  decision?: OperatorDecision;
}

/** Returns a function that finds the wait. */
export function isWait({ call, wait }: NamedWait): (one: WaitingCall) => boolean {
  return (one) => one.call === call && one.n === wait;
}

/** Reads these waits, which are over, from the record. The function finds one of them; it throws Refused for one that the run never had. */
export async function readPastWaits(
  run: AgentRun,
  over: readonly NamedWait[],
): Promise<(of: NamedWait) => PastWait> {
  const waits: PastWait[] = [];
  const subAgents = over.some(({ call }) => call.includes('/'));
  if (over.length > 0)
    for await (const event of run.events({ follow: false, live: false, subAgents })) {
      const idOf = (id: string) => (event.within === undefined ? id : `${event.within}/${id}`);
      if (event.type === 'waiting') waits.push({ wait: { ...event.wait, call: idOf(event.wait.call) } });
      if (event.type !== 'decided') continue;
      const decided = waits.findLast(({ wait }) => wait.call === idOf(event.call));
      if (decided !== undefined) decided.decision = event.decision;
    }
  return (of) => {
    const found = waits.findLast(({ wait }) => isWait(of)(wait));
    if (found === undefined) throw refused(`Call ${of.call} of run ${run.id} has had no wait ${of.wait}.`);
    return found;
  };
}

/** Checks that the wait has had this decision, from whomever. Throws Refused with the decision that it has had. */
export function checkSame({ wait, decision: made }: PastWait, sent: OperatorDecision): void {
  const called = calledText(wait);
  if (made === undefined) throw refused(`${called} does not wait any more, and nobody decided on it.`);
  if (textOf(made) === textOf(sent)) return;
  const by = made.by === undefined ? '' : ` by ${made.by}`;
  const data = made.type === sent.type ? ' with other data' : '';
  throw refused(`${called} was decided before${by}: ${made.type}${data}. ${sent.type} has no effect now.`);
}

/** The decision without its sender, and without the token, which is not recorded. */
function textOf(decision: OperatorDecision): string {
  const { by: _by, token: _token, ...data } = decision as OperatorDecision & { token?: unknown };
  return canonicalJson(data);
}

function refused(message: string): Refused {
  return new Refused(409, 'DecisionRefused', message);
}
