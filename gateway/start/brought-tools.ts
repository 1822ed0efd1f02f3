import { z } from '@hono/zod-openapi';
import type { ClientTool } from '../../client/index.ts';
import { startFields } from '../../agent/start/start-fields.ts';
import { bad } from '../http/read-body.ts';
import type { ServedAgent } from '../http/route.ts';

/** True where an agent is known to take tools of its callers; undefined: only its worker knows the agent. */
export function takesClientTools(
  agents: readonly ServedAgent[] | undefined,
  agent: string,
): boolean | undefined {
  return agents === undefined ? undefined : agents.find(({ name }) => name === agent)?.clientTools === true;
}

/** Checks tools that a request brings for an agent, before a run is started with them. Throws Refused. */
export function checkBroughtTools(
  agents: readonly ServedAgent[] | undefined,
  agent: string,
  tools: readonly ClientTool[] = [],
): void {
  if (tools.length === 0) return;
  if (takesClientTools(agents, agent) === false) {
    throw bad(
      'The agent has its own tools, and calls them itself: leave out the tools of the client. An agent with clientTools: true in its definition takes them.',
    );
  }
  const { fits, rule } = startFields.clientTools.check;
  if (!fits(tools)) throw bad(`The tools of a client have to be ${rule}.`);
  const { tools: own = [] } = agents?.find(({ name }) => name === agent) ?? {};
  const names = new Set(own.map((tool) => (typeof tool === 'string' ? tool : tool.name)));
  const taken = tools.filter(({ name }) => names.has(name)).map(({ name }) => name);
  if (taken.length > 0)
    throw bad(
      `The agent has tools with the names ${taken.join(', ')}: give those of the client other names.`,
    );
}

/** A tool as AG-UI and OpenAI write it. Throws Refused. */
export function readTool(tool: unknown): ClientTool {
  const { data, error } = writtenTool.safeParse(tool);
  if (error !== undefined) throw bad('A tool of the client is { name, description, parameters }.');
  const { name, description, parameters } = data;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    // Clients write a tool without parameters as an empty schema.
    ...(parameters && { inputSchema: { type: 'object', properties: {}, ...parameters } }),
  };
}

const writtenTool = z.object({
  name: z.string(),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.json()).nullish(),
});
