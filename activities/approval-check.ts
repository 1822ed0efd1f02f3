import type { PlannedAction, TurnDecision } from '../agent/calls.ts';
import type { AgentManifest, ToolManifest } from '../agent/manifest.ts';
import { limits } from '../agent/limits.ts';
import { boundedText, fieldOf } from '../agent/values.ts';
import type { ErrorInfo, Json } from '../agent/vocabulary.ts';
import type { Tool } from '../tools/tool.ts';

/** Where the actions stand that approval is asked for. */
export interface Decided {
  manifest: AgentManifest;
  /** The model call, `3`. */
  call: string;
  /** Workflow id. */
  run: string;
}

/**
 * Says of each action whether a person has to allow it: once, here, and recorded with the decision. What the tool would
 * refuse is told to the model, not asked of a person. Whoever cannot say whether to ask, asks.
 */
export async function withApprovals(
  tools: ReadonlyMap<string, Tool>,
  decision: TurnDecision,
  decided: Decided,
): Promise<TurnDecision> {
  if (decision.type !== 'act') return decision;
  const policies = new Map(decided.manifest.tools.map((tool) => [tool.name, tool.approval]));
  const actions = decision.actions.map(async (action, index) => {
    const policy = policies.get(action.tool);
    if (policy === undefined || action.observation !== undefined) return action;
    return withApproval(action, policy, tools.get(action.tool), decided, index);
  });
  return { type: 'act', actions: await Promise.all(actions) };
}

async function withApproval(
  action: PlannedAction,
  policy: NonNullable<ToolManifest['approval']>,
  tool: Tool | undefined,
  { manifest, call, run }: Decided,
  index: number,
): Promise<PlannedAction> {
  if (tool === undefined) return { ...action, approval: { error: unknownHere(action.tool) } };
  const read = readInput(tool, action.toolInput);
  if ('problem' in read) {
    const { problem } = read;
    if (fieldOf(problem, 'name') !== 'ToolInputError')
      return { ...action, approval: { error: threw(problem) } };
    return { ...action, observation: boundedText(fieldOf(problem, 'message'), limits.errorChars) };
  }
  const { approval } = tool;
  if (policy === 'always' || typeof approval !== 'function') return { ...action, approval: {} };
  const context = { agent: manifest.name, runId: run, callId: `${call}.${index + 1}` };
  try {
    // A list of tools cannot tie input to function; parseInput has made what it takes. In JavaScript it may return anything.
    const needed: unknown = await inTime(approval(read.input as never, context));
    return needed === false ? action : { ...action, approval: {} };
  } catch (error) {
    return { ...action, approval: { error: threw(error) } };
  }
}

function readInput(tool: Tool, toolInput: Json): { input: unknown } | { problem: unknown } {
  try {
    return { input: tool.parseInput(toolInput) };
  } catch (problem) {
    return { problem };
  }
}

/** The reply has been paid for and is recorded only when all is known, so a function that never ends must not hold it. */
async function inTime(answer: unknown): Promise<unknown> {
  if (typeof fieldOf(answer, 'then') !== 'function') return answer;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const message = `it did not say whether to ask within ${limits.approvalMs / 1000} s.`;
    timer = setTimeout(() => reject(new Error(message)), limits.approvalMs);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function threw(error: unknown): ErrorInfo {
  const message = boundedText(fieldOf(error, 'message') ?? error, limits.errorChars);
  return { type: 'ApprovalFailed', message: `Its approval function threw, so a person is asked: ${message}` };
}

function unknownHere(tool: string): ErrorInfo {
  const message = `The worker has no tool "${tool}" any more that could say whether to ask, so a person is asked.`;
  return { type: 'ApprovalFailed', message };
}
