import { ApplicationFailure } from '@temporalio/activity';
import type { ResolveAgentInput, ResolvedAgent } from '../agent/calls.ts';
import type { Dependencies } from './dependencies.ts';

/** First activity of a run: the agent's name becomes a manifest, pinned for the whole lineage. */
export function createResolveAgent(dependencies: Dependencies) {
  return async ({ agent, overrides = {} }: ResolveAgentInput): Promise<ResolvedAgent> => {
    const manifest = dependencies.manifest(agent, overrides);
    if (manifest !== undefined) return { manifest, searchAttributes: dependencies.searchAttributes };
    throw ApplicationFailure.create({
      type: 'AgentNotFound',
      message: `The worker knows no agent "${agent}". It has: ${dependencies.agents.join(', ') || 'none'}.`,
    });
  };
}
