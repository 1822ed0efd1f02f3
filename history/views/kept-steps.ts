import type { RunAgents } from '../../agent/calls/run-agents.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import type { RecordedModelCall } from './restart-point.ts';

/**
 * Makes the kept steps of another run those of its fork: what goes back to them has the fork's agents, with the model, the context and the
 * tools of the person who forked, and no approvals or raised limits, which people gave to the other run.
 */
export function keepAsFork(modelCalls: readonly RecordedModelCall[], agents: RunAgents): void {
  for (const modelCall of modelCalls) modelCall.granted = {};
  giveAgents(modelCalls, agents);
}

/** Gives the agents of a fork to its model calls so far. */
export function giveAgents(modelCalls: readonly RecordedModelCall[], agents: RunAgents): void {
  for (const modelCall of modelCalls) {
    const { manifest: before = agents.get(0) } = modelCall;
    const agent = before && agents.named.get(before.name);
    if (agent === undefined || canonicalJson(agent) === canonicalJson(modelCall.manifest ?? null)) continue;
    modelCall.manifest = agent;
    modelCall.isForks = true;
  }
}
