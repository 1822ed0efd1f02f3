import { proxyActivities } from '@temporalio/workflow';
import { type ResolveAgentInput, type ResolvedAgent, activityId } from '../../agent/calls/calls.ts';
import { imagesOf } from '../../agent/values/content.ts';
import { withModelOf } from '../../agent/run/transcript-edits.ts';
import { HEARTBEAT_TIMEOUT } from '../temporal/activity-options.ts';
import { localCall, makesLocalCalls } from '../temporal/local-call.ts';
import type { AgentRunInput } from '../messages.ts';
import { asRunFailure } from '../temporal/run-failure.ts';

/** Resolves the agent's definition. It is resolved and recorded once, and later executions have it in their input. */
export async function resolve(input: AgentRunInput, scope: number): Promise<ResolvedAgent> {
  const { overrides, manifest, searchAttributes = false, events, trace } = input;
  if (manifest === undefined) return resolved(input, scope);
  const pinned = { manifest, searchAttributes, events: events || undefined, trace };
  // A fork with another model: the config has the model's adapter.
  if (overrides?.model === undefined) return pinned;
  return { ...pinned, manifest: withModelOf(manifest, (await resolved(input, scope)).manifest) };
}

async function resolved(input: AgentRunInput, scope: number): Promise<ResolvedAgent> {
  const { agent, overrides } = input;
  const variables = input.question?.variables;
  const id = activityId(scope, 'resolve', 0);
  const asked: ResolveAgentInput = {
    agent,
    overrides,
    parentBudget: input.parentBudget,
    chatHistory: isConversation(input) || undefined,
    images: imagesOf(input.question?.input ?? '').length > 0 || undefined,
    variables: variables && Object.keys(variables),
    recorded: input.recorded && { live: input.recorded.live },
    trace: input.trace,
  };
  try {
    if (makesLocalCalls()) {
      const end = await localCall<ResolvedAgent>('resolveAgent', [asked, { id }], agent);
      if (end.type === 'done') return end.result;
    }
    return await askWorkers(asked, id);
  } catch (failure) {
    throw asRunFailure(failure);
  }
}

/** Resolves the agent in an activity, so that any worker with the agent can answer. */
function askWorkers(asked: ResolveAgentInput, id: string): Promise<ResolvedAgent> {
  const { resolveAgent } = proxyActivities<{
    resolveAgent(input: ResolveAgentInput): Promise<ResolvedAgent>;
  }>({
    activityId: id,
    summary: asked.agent,
    startToCloseTimeout: '10s',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    // A rolling deploy: for 30 s the agent may be known to some workers only.
    retry: { maximumAttempts: 16, initialInterval: '2s', backoffCoefficient: 1 },
  });
  return resolveAgent(asked);
}

function isConversation({ question, session }: AgentRunInput): boolean {
  return session !== undefined || (question?.chatHistory.length ?? 0) > 0;
}
