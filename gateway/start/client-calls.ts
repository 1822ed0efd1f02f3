import { type AgentRun, clientResult } from '../../client/index.ts';
import { mayUse } from '../http/caller.ts';
import { Refused } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { type Approval, readApproval } from './approvals.ts';
import { hasAsked } from './own-runs.ts';

/** The result of a call that a client has carried out. `error`: a text, if the tool of the client failed. */
export type ClientResult = Approval & { result: { output: unknown } | { error: string } };

/** The call of an id that this gateway, or another one, gave a client. The id names run, call and wait. undefined for other ids. */
export function readClientCall(id: unknown): Approval | undefined {
  return typeof id === 'string' ? readApproval(id) : undefined;
}

type By = Pick<ProtocolRequest, 'client' | 'caller'>;

/** Gives results of calls to the run that waits for them. A result that was given before is passed over, so that a request can be sent again. */
export async function answerClientCalls(run: AgentRun, results: readonly ClientResult[]): Promise<void> {
  const toolOf = await waitingTools(run);
  for (const { call, n, result } of results) {
    const tool = toolOf({ call, n });
    if (tool === undefined) continue;
    await run
      .decide(call, { type: 'resolve', output: clientResult(tool, result) }, n)
      .catch(async (error) => {
        // Another gateway may have given the same result meanwhile.
        if ((await waitingTools(run))({ call, n }) !== undefined) throw error;
      });
  }
}

/** Cancels the run that waits for these results, for a client that continues without it. */
export async function leaveClientCalls(run: AgentRun, results: readonly ClientResult[]): Promise<void> {
  const waits = async () => {
    const toolOf = await waitingTools(run);
    return results.some((result) => toolOf(result) !== undefined);
  };
  if (!(await waits())) return;
  await run.cancel().catch(async (error) => {
    if (await waits()) throw error;
  });
}

/** Throws Refused for a caller that neither asked for the run nor may decide. */
export async function checkMayGive({ client, caller }: By, id: string): Promise<void> {
  if (mayUse(caller, 'POST /runs/{id}/decisions') || (await hasAsked({ client, caller }, id))) return;
  const who = `${caller.name} has not started run ${id}`;
  throw new Refused(403, 'Forbidden', `${who}, so the results of its tools come from another client.`);
}

/** Reads the run. Returns a function that gives the tool of a call that waits for its client; undefined: the call does not wait. */
async function waitingTools(
  run: AgentRun,
): Promise<(call: Pick<Approval, 'call' | 'n'>) => string | undefined> {
  const { waiting } = await run.describe();
  return ({ call, n }) =>
    waiting.find((wait) => wait.call === call && wait.n === n && wait.reason === 'client_tool')?.tool;
}
