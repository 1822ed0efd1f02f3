import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { type MediaOfQuestion, mediaProblem } from '../../agent/transcript/takes-media.ts';
import type { ClientTool } from '../../agent/definition/client-tools.ts';
import { recordedAgent } from '../../agent/definition/recorded-agent.ts';
import type { LocalCall, ResolveAgentInput, ResolvedAgent } from '../../agent/calls/calls.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { type RunContext, missingContext } from '../../agent/definition/run-context.ts';
import { checkOverrides } from '../../agent/start/overrides.ts';
import { withoutPlace } from '../../agent/text/template.ts';
import type { Dependencies } from '../dependencies.ts';

/** First activity of a run: the agent's name becomes a manifest, pinned for the whole lineage. */
export function createResolveAgent(dependencies: Dependencies) {
  return async (
    {
      agent,
      overrides,
      parentBudget,
      chatHistory,
      images,
      files,
      variables = [],
      takesOver,
      recorded,
      trace,
    }: ResolveAgentInput,
    local?: LocalCall,
  ): Promise<ResolvedAgent> => {
    checkedOverrides(overrides);
    const context = contextOf(dependencies, agent, overrides);
    const current = currentManifest(dependencies, agent, { ...overrides, context }, parentBudget);
    const manifest = recorded === undefined ? current : recordedAgent(current, recorded.live);
    if (takesOver !== true) checkClientTools(current, overrides?.clientTools);
    if (chatHistory === true) checkTakesHistory(dependencies, manifest);
    checkTakesMedia(dependencies, manifest, { images, files });
    if (takesOver !== true) checkVariables(manifest, variables);
    checkContextPlaces(manifest);
    const { searchAttributes, events, beginTrace } = dependencies;
    return {
      manifest,
      searchAttributes,
      events: events ? true : undefined,
      trace: beginTrace?.({ agent, runId: activityInfo().workflowExecution?.runId ?? '' }, trace),
      local,
    };
  };
}

/** Throws for overrides that no config and no client of ours has looked at. */
function checkedOverrides(overrides: unknown = {}): void {
  const problem = checkOverrides(overrides);
  if (problem !== undefined) throw invalidOverrides(problem);
}

function invalidOverrides(problem: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'InvalidOverrides',
    message: `The run cannot start: ${problem}`,
    nonRetryable: true,
  });
}

/** The context as its schema reads it. */
function contextOf(
  { checkContext }: Dependencies,
  agent: string,
  { context }: NonNullable<ResolveAgentInput['overrides']> = {},
): RunContext | undefined {
  return orInvalidOverrides(() => checkContext(agent, context));
}

/**
 * The agent as it is configured now. Throws AgentNotFound, retryable where another worker may know it already, and
 * InvalidOverrides.
 */
export function currentManifest(
  dependencies: Dependencies,
  agent: string,
  overrides: ResolveAgentInput['overrides'] = {},
  parentBudget?: ResolveAgentInput['parentBudget'],
): AgentManifest {
  const manifest = givenManifest(dependencies, agent, overrides, parentBudget);
  if (manifest !== undefined) return manifest;
  throw ApplicationFailure.create({
    type: 'AgentNotFound',
    message: notFound(dependencies, agent),
    nonRetryable: !dependencies.rollingDeploys,
  });
}

/** The config was checked when it was loaded, so the problem is in the run's own options. */
function givenManifest(
  { manifest }: Dependencies,
  ...[agent, overrides, parentBudget]: Parameters<Dependencies['manifest']>
): AgentManifest | undefined {
  return orInvalidOverrides(() => manifest(agent, overrides, parentBudget));
}

function orInvalidOverrides<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') throw invalidOverrides(error.message);
    throw error;
  }
}

/** A run may have come to the worker of another project, or of another config: it says who and where it is. */
function notFound({ agents, identity, address }: Dependencies, agent: string): string {
  const { taskQueue } = activityInfo();
  const who = identity === undefined ? 'The worker' : `The worker "${identity}"`;
  const where = address === undefined ? '' : ` at ${address}`;
  return `${who} of task queue ${taskQueue}${where} knows no agent "${agent}". It has: ${agents.join(', ') || 'none'}. Start one whose config has the agent, in the place of this one or on another task queue.`;
}

function checkTakesHistory({ kinds }: Dependencies, { name, kind }: AgentManifest): void {
  if (kinds.get(kind)?.chatHistory !== false) return;
  const others = [...kinds.values()].filter((other) => other.chatHistory).map((other) => other.name);
  throw ApplicationFailure.create({
    type: 'ChatHistoryNotTaken',
    message: `Agent "${name}" is of kind ${kind}, whose prompt has no place for earlier messages: no chat history, no session. Kinds that have one: ${others.join(', ') || 'none'}.`,
    nonRetryable: true,
  });
}

function checkTakesMedia(
  { kinds }: Dependencies,
  manifest: AgentManifest,
  { images, files }: MediaOfQuestion,
): void {
  const noImages = mediaProblem(kinds, manifest, { images });
  if (noImages !== undefined)
    throw ApplicationFailure.create({ type: 'ImagesNotTaken', message: noImages, nonRetryable: true });
  const noFiles = mediaProblem(kinds, manifest, { files });
  if (noFiles !== undefined)
    throw ApplicationFailure.create({ type: 'FilesNotTaken', message: noFiles, nonRetryable: true });
}

/** The definition has the tools of the caller that it takes. */
function checkClientTools({ name, tools }: AgentManifest, given: readonly ClientTool[] = []): void {
  const taken = tools.flatMap((tool) => (tool.client === true ? [tool.name] : []));
  const refused = given.filter((tool) => !taken.includes(tool.name)).map((tool) => tool.name);
  if (refused.length === 0) return;
  const message =
    taken.length === 0 && !tools.some((tool) => refused.includes(tool.name))
      ? `Agent "${name}" takes no tools of its caller: its definition does not have clientTools: true.`
      : `Agent "${name}" has tools with the names ${refused.join(', ')}. The caller's tools need other names.`;
  throw ApplicationFailure.create({ type: 'ClientToolsNotTaken', message, nonRetryable: true });
}

/** A value that no text has a place for was misspelt, or the text was. */
function checkVariables({ name, prompt }: AgentManifest, variables: string[]): void {
  const unused = withoutPlace(variables, prompt);
  if (unused.length === 0) return;
  throw ApplicationFailure.create({
    type: 'UnknownVariable',
    message: `No prompt text of agent "${name}" has a place for ${unused.map((variable) => `{${variable}}`).join(', ')}. Write it into one of: ${Object.keys(prompt).join(', ')}.`,
    nonRetryable: true,
  });
}

/** A place in a prompt text without a value would reach the model as it is written. */
function checkContextPlaces({ name, prompt, context }: AgentManifest): void {
  const missing = missingContext(prompt, context);
  if (missing.length === 0) return;
  throw invalidOverrides(
    `the prompt of agent "${name}" has ${missing.join(', ')}, and the run's context has no such text, number or boolean.`,
  );
}
