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

/** Reads a wait that is over from the record. undefined: the run has had no such wait. */
export async function pastWait(run: AgentRun, { call, wait }: NamedWait): Promise<PastWait | undefined> {
  let found: PastWait | undefined;
  let latest: number | undefined;
  const subAgents = call.includes('/');
  for await (const event of run.events({ follow: false, live: false, subAgents })) {
    const idOf = (id: string) => (event.within === undefined ? id : `${event.within}/${id}`);
    if (event.type === 'waiting' && idOf(event.wait.call) === call) {
      latest = event.wait.n;
      if (latest === wait) found ??= { wait: { ...event.wait, call } };
    }
    if (event.type === 'decided' && idOf(event.call) === call && latest === wait && found !== undefined)
      found.decision = event.decision;
  }
  return found;
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
