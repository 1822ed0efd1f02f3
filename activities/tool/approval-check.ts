import type { PlannedAction, TurnDecision } from '../../agent/calls/calls.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { limits } from '../../agent/values/limits.ts';
import { inputDigest, isOnce } from '../../agent/calls/restart.ts';
import { classifyError } from '../attempt/errors.ts';
import { inTime } from '../attempt/in-time.ts';
import { boundedText, fieldOf, plainJson } from '../../agent/values/values.ts';
import type { ErrorInfo, Json } from '../../agent/values/vocabulary.ts';
import type { Tool } from '../../adapters/tools/tool.ts';

/** The agent, model call and run whose actions may need approval. */
export interface ApprovalContext {
  manifest: AgentManifest;
  /** The model call, `3`. */
  call: string;
  /** Workflow id. */
  run: string;
}

/**
 * Decides for each action whether a person has to approve it, and which effect it has: once, here, and recorded with the decision. An input that
 * the tool would refuse is an error for the model, and no person is asked. If the tool's `approval` throws, a person is
 * asked.
 */
export async function withApprovals(
  tools: ReadonlyMap<string, Tool>,
  decision: TurnDecision,
  decided: ApprovalContext,
): Promise<TurnDecision> {
  if (decision.type !== 'act') return decision;
  const manifests = new Map(decided.manifest.tools.map((tool) => [tool.name, tool]));
  const actions = decision.actions.map(async (planned, index) => {
    const manifest = manifests.get(planned.tool);
    if (manifest === undefined || planned.observation !== undefined) return planned;
    const { approval: policy } = manifest;
    const tool = tools.get(planned.tool);
    const read = tool && (isOnce(manifest) || policy) ? readInput(tool, planned.toolInput) : undefined;
    const action = isOnce(manifest) ? withEffect(planned, read) : planned;
    return policy === undefined ? action : withApproval(action, policy, { tool, read }, decided, index);
  });
  return { type: 'act', actions: await Promise.all(actions) };
}

/** Adds the digest of the input as the tool reads it: the model may write one input in many ways. */
function withEffect(action: PlannedAction, read: ReadInput | undefined): PlannedAction {
  if (read === undefined || 'problem' in read) return action;
  try {
    const effect = inputDigest(plainJson(read.input));
    return effect === inputDigest(action.toolInput) ? action : { ...action, effect };
  } catch {
    return action; // no JSON: the input as the model wrote it distinguishes effects
  }
}

async function withApproval(
  action: PlannedAction,
  policy: NonNullable<ToolManifest['approval']>,
  { tool, read }: { tool: Tool | undefined; read: ReadInput | undefined },
  { manifest, call, run }: ApprovalContext,
  index: number,
): Promise<PlannedAction> {
  if (tool === undefined || read === undefined)
    return { ...action, approval: { error: unknownHere(action.tool) } };
  if ('problem' in read) {
    const { problem } = read;
    if (fieldOf(problem, 'name') !== 'ToolInputError')
      return { ...action, approval: { error: threw(problem) } };
    return { ...action, observation: boundedText(fieldOf(problem, 'message'), limits.errorChars) };
  }
  const approval = typeof tool.approval === 'object' ? tool.approval.when : tool.approval;
  if (policy === 'always' || typeof approval !== 'function') return { ...action, approval: {} };
  const context = {
    agent: manifest.name,
    runId: run,
    callId: `${call}.${index + 1}`,
    context: manifest.context ?? {},
  };
  try {
    // A list of tools cannot tie input to function; parseInput has made the input. In JavaScript the function may
    // return anything.
    // The reply has been paid for and is recorded only when all is known, so a function that never ends must not hold the reply.
    const answer = Promise.resolve(approval(read.input as never, context));
    const needed = await inTime(answer, 'did not say whether to ask');
    return needed === false ? action : { ...action, approval: {} };
  } catch (error) {
    return { ...action, approval: { error: threw(error) } };
  }
}

type ReadInput = { input: unknown } | { problem: unknown };

function readInput(tool: Tool, toolInput: Json): ReadInput {
  try {
    return { input: tool.parseInput(toolInput) };
  } catch (problem) {
    return { problem };
  }
}

function threw(error: unknown): ErrorInfo {
  const { message } = classifyError(error);
  return { type: 'ApprovalFailed', message: `Its approval function threw, so a person is asked: ${message}` };
}

function unknownHere(tool: string): ErrorInfo {
  const message = `The worker has no tool "${tool}" any more that could say whether to ask, so a person is asked.`;
  return { type: 'ApprovalFailed', message };
}
