import { EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { DELIVER_WEBHOOK } from '../../agent/webhooks/delivery.ts';
import { REWIND_POINT } from '../../agent/run/run-input.ts';
import { AUTHORIZE } from '../../agent/rules/sender.ts';
import { isSameTool } from '../../adapters/tools/same-tool.ts';
import { problemOfName } from '../../adapters/tools/tool-name.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { ConfigError } from '../define.ts';

/** Names of Reloop's own activities, and of what LangChain's traces call a tool. */
const RESERVED = [
  'callModel',
  'resolveAgent',
  'summarizeConversation',
  EARLIER_EFFECTS,
  REWIND_POINT,
  AUTHORIZE,
  'recordedCall',
  'recordedQuestion',
  'compareRun',
  DELIVER_WEBHOOK,
  'default',
  '_Exception',
  'Final Answer',
];

/** A tool's name is its activity's name, so names are unique over all agents. Throws {@link ConfigError}. */
export function uniqueTools(list: readonly Tool[]): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const tool of list) {
    const { name } = tool;
    const other = tools.get(name);
    if (other !== undefined && !isSameTool(other, tool)) {
      throw new ConfigError(
        `Two different tools are called "${name}". Give one another name, or define it once and list it in both agents.`,
      );
    }
    if (RESERVED.includes(name) || name.startsWith('__temporal_'))
      throw new ConfigError(`A tool cannot be called "${name}": the name is reserved.`);
    const problem = problemOfName(name);
    if (problem !== undefined) throw new ConfigError(`${problem}. Give it another name.`);
    tools.set(name, other ?? tool);
  }
  return tools;
}
