import type { PlannedAction, ToolResult, TurnDecision } from '../../agent/calls/calls.ts';
import type { HookChange } from '../../agent/definition/hooks.ts';
import { capOutput } from '../../agent/observation/output.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import { limits } from '../../agent/values/limits.ts';
import { boundedText, fieldOf, plainJson } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { changeOf } from '../hooks/change.ts';
import { type CallHooks, HookFailed, runHook } from '../hooks/run-hook.ts';

/**
 * Asks `beforeTool` about each action of a decision: once, here, before approvals, so that a person approves the input that the tool gets.
 * The answers are recorded with the decision, for tools of any kind.
 */
export async function beforeTools(
  call: CallHooks | undefined,
  tools: ReadonlyMap<string, Tool>,
  decision: TurnDecision,
): Promise<{ decision: TurnDecision; changes: HookChange[] }> {
  if (call?.hooks.beforeTool === undefined || decision.type !== 'act') return { decision, changes: [] };
  const asked = decision.actions.map((action, index) => {
    const callId = `${call.context.callId}.${index + 1}`;
    return beforeTool({ ...call, context: { ...call.context, callId } }, tools.get(action.tool), action);
  });
  const hooked = await Promise.all(asked);
  const changes = hooked.flatMap((one) => one.changes).slice(0, limits.changes);
  return { decision: { type: 'act', actions: hooked.map(({ action }) => action) }, changes };
}

interface HookedAction {
  action: PlannedAction;
  changes: HookChange[];
}

async function beforeTool(
  call: CallHooks,
  tool: Tool | undefined,
  action: PlannedAction,
): Promise<HookedAction> {
  const input = readInput(tool, action.toolInput);
  // An action with an observation is not run. An input that the tool refuses is an error for the model.
  if (action.observation !== undefined || input === undefined) return { action, changes: [] };
  const { hooks, context } = call;
  const answer = await runHook(call, 'beforeTool', () =>
    hooks.beforeTool?.({ tool: action.tool, input: structuredClone(input) }, context),
  );
  if (answer === undefined) return { action, changes: [] };
  const about = { hook: 'beforeTool', call: context.callId } as const;
  if ('refuse' in answer) {
    const observation = boundedText(answer.refuse, limits.errorChars);
    const change = { ...about, part: 'refusal' };
    return { action: { ...action, observation }, changes: changeOf(change, input, observation, false) };
  }
  const toolInput = plainJson(answer.input);
  if (canonicalJson(toolInput) === canonicalJson(input)) return { action, changes: [] };
  checkInput(tool, toolInput);
  const changes = changeOf({ ...about, part: 'input' }, input, toolInput, answer.hideBefore);
  return { action: { ...action, toolInput }, changes };
}

/** The input as the tool reads it; as the model wrote it, if that is not JSON. undefined: the tool refuses the input. */
function readInput(tool: Tool | undefined, toolInput: Json): Json | undefined {
  let read: unknown;
  try {
    read = tool === undefined ? toolInput : tool.parseInput(toolInput);
  } catch (error) {
    return fieldOf(error, 'name') === 'ToolInputError' ? undefined : toolInput;
  }
  try {
    return plainJson(read);
  } catch {
    return toolInput;
  }
}

function checkInput(tool: Tool | undefined, input: Json): void {
  if (jsonBytes(input) > limits.decisionBytes)
    throw new HookFailed('beforeTool', `its input has more than ${limits.decisionBytes} bytes as JSON.`);
  try {
    tool?.parseInput(input);
  } catch (cause) {
    const why = boundedText(fieldOf(cause, 'message'), limits.errorChars);
    throw new HookFailed('beforeTool', `its input does not fit. ${why}`, { cause });
  }
}

/** The result that `afterTool` lets pass. A deferred call has no observation yet. An input that did not fit has no observation of the tool. */
export async function afterTool(
  call: CallHooks | undefined,
  tool: string,
  input: Json,
  result: ToolResult,
  maxOutputChars: number,
): Promise<ToolResult> {
  const { output, kind, reconciled } = result;
  const isObserved = (kind === undefined || kind === 'error') && (reconciled ?? 'done') === 'done';
  if (call?.hooks.afterTool === undefined || !isObserved) return result;
  const { hooks, context } = call;
  const answer = await runHook(call, 'afterTool', () =>
    hooks.afterTool?.(structuredClone({ tool, input, observation: output }), context),
  );
  if (answer === undefined) return result;
  const changed = capOutput(answer.observation, maxOutputChars, limits.resultBytes);
  const changes = changeOf({ hook: 'afterTool', part: 'observation' }, output, changed, answer.hideBefore);
  return changes.length === 0 ? result : { ...result, output: changed, changes };
}
