import type { RouteName } from '../access/route-table.ts';
import { demand } from '../http/caller.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { bad } from '../http/read-body.ts';
import { type RunAnswers, answerRun } from './answer-run.ts';
import { type ClientResult, checkMayGive, leaveClientCalls } from './client-calls.ts';
import { ownRun } from './own-runs.ts';
import { servedAgent } from './start-run.ts';

/** A run that continues with the answers of a request, or a call whose run the request leaves to ask another agent. */
export type GivenResults =
  { run: string; results: readonly ClientResult[]; left?: undefined } | { run?: undefined; left: string };

/** `question` throws for a request that asks nothing; `route`: that of a person's answers. */
interface Use {
  question: () => unknown;
  route?: RouteName;
}

/**
 * Gives the answers of a request to the run that the last of them names; results of earlier runs were given before. As with OpenAI,
 * the model of a request answers its results: where that is not the agent of the run, the run is cancelled, if `question` throws nothing.
 * Throws Refused and RunNotFound.
 */
export async function giveResults(
  request: Pick<ProtocolRequest, 'client' | 'caller' | 'agents'>,
  agent: string | undefined,
  { persons: sent, results: all }: RunAnswers,
  { question, route = 'POST /runs/{id}/decisions' }: Use,
): Promise<GivenResults> {
  if (sent.length > 0) demand(request.caller, route);
  const persons = sent.map((read) => read());
  const run = persons.at(-1)?.run ?? all.at(-1)?.run ?? '';
  const results = all.filter((one) => one.run === run);
  const isOther = results.length > 0 && agent !== undefined && agent !== (await agentOf(request, run));
  if (!isOther) {
    const { id } = await answerRun(request, { persons: sent, results }, { route });
    return { run: id, results };
  }
  servedAgent(request.agents, agent);
  if (persons.some(({ approves }) => approves)) {
    throw bad(
      `model: an approval is for a run of another agent, which ${agent} would end. Send the approval with the model of that run before.`,
    );
  }
  question();
  const left = await ownRun(request, run);
  await checkMayGive(request, run);
  await leaveClientCalls(left, results);
  const { call, n } = results.at(-1) ?? {};
  return { left: `${run}:${call}:${n}` };
}

async function agentOf(request: Pick<ProtocolRequest, 'client' | 'caller'>, run: string): Promise<string> {
  return (await (await ownRun(request, run)).labels()).agent;
}
