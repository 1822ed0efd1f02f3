import type { Json } from '../../../agent/values/vocabulary.ts';
import { foreignSchema } from './schema.ts';
import { objectInput } from '../json-input.ts';
import type { Tool, ToolContext, ToolOptions } from '../tool.ts';
import { isAsyncIterable } from '../../../agent/values/values.ts';

/** A tool of the Vercel AI SDK, as far as it is used here. */
export interface VercelTool {
  description?: string | undefined;
  /** zod, jsonSchema(), or another schema that the SDK takes. */
  inputSchema?: unknown;
  /** Name of `inputSchema` before version 5. */
  parameters?: unknown;
  execute?: unknown;
  needsApproval?: unknown;
}

type Execute = (input: unknown, options: object) => unknown;

/** A tool that was made with the AI SDK's `tool()`. Throws for a tool without `execute`. */
export function fromVercel(name: string, tool: VercelTool, options?: Partial<ToolOptions>): Tool;
/** All tools of such an object, as generateText takes it. */
export function fromVercel(tools: { [name: string]: VercelTool }, options?: Partial<ToolOptions>): Tool[];
export function fromVercel(
  first: string | { [name: string]: VercelTool },
  second?: VercelTool | Partial<ToolOptions>,
  third?: Partial<ToolOptions>,
): Tool | Tool[] {
  // The type of the second argument depends on the first.
  if (typeof first === 'string') return convert(first, second as VercelTool, third);
  const options = second as Partial<ToolOptions> | undefined;
  return Object.entries(first).map(([name, tool]) => convert(name, tool, options));
}

function convert(name: string, tool: VercelTool, options: Partial<ToolOptions> = {}): Tool {
  const execute = executeOf(name, tool);
  const common = { name, description: tool.description || name, ...options };
  const schema = foreignSchema(common.name, tool.inputSchema ?? tool.parameters);
  return {
    ...common,
    inputSchema: schema.json,
    parseInput: (input) => objectInput(common.name, schema.json, input),
    async run(input: Json, context: ToolContext) {
      const checked = await schema.check(input);
      const result = await execute(checked, {
        toolCallId: `${context.runId}/${context.callId}`,
        abortSignal: context.signal,
        messages: [],
      });
      return isAsyncIterable(result) ? last(result, context) : result;
    },
  };
}

function executeOf(name: string, tool: VercelTool | null | undefined): Execute {
  if (typeof tool?.execute !== 'function') {
    throw new Error(
      `fromVercel: "${name}" has no execute function, so there is nothing to run here. Make it with tool({ description, inputSchema, execute }).`,
    );
  }
  if (tool.needsApproval !== undefined && tool.needsApproval !== false) {
    throw new Error(
      `fromVercel: "${name}" has needsApproval, which would not be asked for here. Leave it out: fromVercel("${name}", { ...tool, needsApproval: false }).`,
    );
  }
  return tool.execute as Execute;
}

/** Results that come piece by piece: the last one counts, the others are progress. */
async function last(results: AsyncIterable<unknown>, { progress }: ToolContext): Promise<unknown> {
  let result: unknown;
  for await (result of results) progress(typeof result === 'string' ? result : JSON.stringify(result));
  return result;
}
