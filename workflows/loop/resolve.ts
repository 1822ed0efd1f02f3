import { proxyActivities } from '@temporalio/workflow';
import { type ResolveAgentInput, type ResolvedAgent, activityId } from '../../agent/calls/calls.ts';
import { type ClientTool, clientToolsOf } from '../../agent/definition/client-tools.ts';
import { takingOver, withModelOf } from '../../agent/definition/handed-over.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { mediaIn } from '../../agent/transcript/takes-media.ts';
import { HEARTBEAT_TIMEOUT } from '../temporal/activity-options.ts';
import { localCall, makesLocalCalls } from '../temporal/local-call.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { asRunFailure } from '../temporal/run-failure.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** Resolves the agent's definition. It is resolved and recorded once, and later executions have it in their input. */
export async function resolve(input: AgentRunInput, scope: number): Promise<ResolvedAgent> {
  const { overrides, manifest, searchAttributes = false, events, trace } = input;
  if (manifest === undefined) return resolved(input, scope);
  const pinned = { manifest, searchAttributes, events: events || undefined, trace };
  if (overrides?.model === undefined) return pinned;
  // A fork with another model: the config has the model's adapter. The agent may not be the run's first.
  const { name: agent, context } = manifest;
  const asked = { agent, overrides: { ...overrides, context }, trace };
  const { manifest: other } = await ask(asked, activityId(scope, 'resolve', 0));
  return { ...pinned, manifest: withModelOf(manifest, other) };
}

/** Resolves the agent that takes the run over. A definition that the run has had before is pinned. */
export async function resolveTarget(loop: AgentLoop, agent: string): Promise<AgentManifest> {
  const { agents, manifest, scope, recorded } = loop;
  const known = agents.named.get(agent);
  if (known !== undefined) return takingOver(known, manifest);
  const { context, tenant, priority, tags } = manifest;
  const asked: ResolveAgentInput = {
    agent,
    overrides: { context, tenant, priority, tags, clientTools: broughtTools(loop) },
    takesOver: true,
    recorded: recorded && { live: recorded.live },
  };
  const target = await ask(asked, activityId(scope, 'resolve', agents.named.size));
  return takingOver(target.manifest, manifest);
}

/** Returns the tools that the run's caller brought, for the next agent. An agent leaves out those that have the name of its own tools. */
function broughtTools({ agents }: AgentLoop): ClientTool[] | undefined {
  const [most = []] = [...agents.named.values()].map(clientToolsOf).toSorted((a, b) => b.length - a.length);
  return most.length === 0 ? undefined : most;
}

function resolved(input: AgentRunInput, scope: number): Promise<ResolvedAgent> {
  const { agent, overrides } = input;
  const variables = input.question?.variables;
  const asked: ResolveAgentInput = {
    agent,
    overrides,
    parentBudget: input.parentBudget,
    chatHistory: isConversation(input) || undefined,
    ...mediaIn(input.question?.input ?? ''),
    variables: variables && Object.keys(variables),
    recorded: input.recorded && { live: input.recorded.live },
    trace: input.trace,
  };
  return ask(asked, activityId(scope, 'resolve', 0));
}

async function ask(asked: ResolveAgentInput, id: string): Promise<ResolvedAgent> {
  try {
    if (makesLocalCalls()) {
      const end = await localCall<ResolvedAgent>('resolveAgent', [asked, { id }], asked.agent);
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
