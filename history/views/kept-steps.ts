import type { AgentRunInput } from '../../agent/run/run-input.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import type { RecordedModelCall } from './restart-point.ts';

/**
 * Makes the kept steps of another run those of its fork: what goes back to them has the fork's agents, with the context and the tools of the
 * person who forked, and no approvals or raised limits, which people gave to the other run.
 */
export function keepAsFork(modelCalls: readonly RecordedModelCall[], fork: AgentRunInput): void {
  const { manifest, agents = [] } = fork;
  const own = [...agents, ...(manifest === undefined ? [] : [manifest])];
  for (const modelCall of modelCalls) {
    modelCall.granted = {};
    const { manifest: before = manifest } = modelCall;
    const agent = own.findLast(({ name }) => name === before?.name);
    if (agent === undefined || canonicalJson(agent) === canonicalJson(modelCall.manifest ?? null)) continue;
    modelCall.manifest = agent;
    modelCall.isForks = true;
  }
}
