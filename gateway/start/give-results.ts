import { answerClientCalls, leaveClientCalls, type ClientResult } from './client-calls.ts';
import { ownRun } from './own-runs.ts';
import { servedAgent } from './start-run.ts';
import type { ProtocolRequest } from '../http/protocol.ts';

/** A run that continues with the results of a request, or a call whose run the request leaves to ask another agent. */
export type GivenResults =
  { run: string; results: readonly ClientResult[]; left?: undefined } | { run?: undefined; left: string };

/**
 * Gives results of the client's tools to the run that the last of them names; those of earlier runs were given before. As with OpenAI,
 * the model of a request answers it: where that is not the agent of the run, the run is cancelled, if
 * `question` throws nothing. Throws Refused and RunNotFound.
 */
export async function giveResults(
  request: Pick<ProtocolRequest, 'client' | 'caller' | 'agents'>,
  agent: string | undefined,
  all: readonly ClientResult[],
  question: () => unknown,
): Promise<GivenResults> {
  const { run = '', call, n } = all.at(-1) ?? {};
  const results = all.filter((one) => one.run === run);
  const labels = await (await ownRun(request, run)).labels();
  if (agent === undefined || agent === labels.agent)
    return { run: await answerClientCalls(request, results), results };
  servedAgent(request.agents, agent);
  question();
  await leaveClientCalls(request, results);
  return { left: `${run}:${call}:${n}` };
}
