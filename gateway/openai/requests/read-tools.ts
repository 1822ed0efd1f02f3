import type { ClientTool } from '../../../client/index.ts';
import { fieldOf } from '../../../agent/values/values.ts';
import { bad } from '../../http/read-body.ts';
import { readTool } from '../../start/brought-tools.ts';

/** Tools that a request brings, and the fields of its body without them. */
interface ReadTools<Body> {
  clientTools: readonly ClientTool[] | undefined;
  rest: Body;
}

/** Takes the functions out of a body's `tools`: those of a chat completion are `{ type, function }`, of a response flat. Throws Refused. */
export function takeFunctions<Body extends { tools?: unknown; tool_choice?: unknown }>(
  body: Body,
): ReadTools<Body> {
  const { tools } = body;
  if (!Array.isArray(tools)) return { clientTools: undefined, rest: body };
  const given = tools.filter((tool) => fieldOf(tool, 'type') === 'function');
  const others = tools.filter((tool) => !given.includes(tool));
  const rest = { ...body, tools: others.length > 0 ? others : undefined };
  if (given.length === 0) return { clientTools: undefined, rest };
  const choice = body.tool_choice ?? 'auto';
  if (choice !== 'auto' && choice !== 'none')
    throw bad('tool_choice: the agent decides which tool it calls. Leave it out, or write "auto" or "none".');
  const clientTools = given.map((tool) => readTool(fieldOf(tool, 'function') ?? tool));
  return { clientTools: choice === 'none' ? undefined : clientTools, rest };
}
