import type { ParsedAction } from '../definition/kind.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import { USE_TOOL } from '../definition/tool-search.ts';
import { toolNamed } from '../prompt/tool-names.ts';
import { isObject, parseJson } from '../values/json-object.ts';

/**
 * Reads a call of `use_tool` as a call of the tool that it names: approvals, hooks, traces and events see that tool. The reply in the
 * transcript stays as the model wrote it. A call that names no tool is left as it is.
 */
export function usedTool(action: ParsedAction, { toolSearch }: AgentManifest): ParsedAction {
  if (toolSearch === undefined || toolNamed(action.tool, [{ name: USE_TOOL }]) === undefined) return action;
  const { toolInput } = action;
  const asked = typeof toolInput === 'string' ? parseJson(toolInput) : toolInput;
  if (!isObject(asked)) return action;
  const { name, input, ...beside } = asked;
  if (typeof name !== 'string' || name === USE_TOOL) return action;
  // Some models write the fields of the input beside the name.
  return { ...action, tool: name, toolInput: input ?? beside };
}
