import type { Json } from '../../../agent/values/vocabulary.ts';
import { foreignSchema } from './schema.ts';
import { objectInput, whatItTakes } from '../json-input.ts';
import { type Tool, type ToolContext, ToolInputError, type ToolOptions, defineTool } from '../tool.ts';

/** A tool of LangChain JS, as far as it is used here. */
export interface LangChainTool {
  name: string;
  description: string;
  /** A zod object of whichever version, or JSON Schema. */
  schema?: unknown;
  returnDirect?: boolean;
  invoke(input: never, config?: never): unknown;
}

/**
 * A tool that was made with LangChain's `tool()` or one of its classes. An error that it throws is retried; an error
 * about its input goes to the model. Throws for a value that is not such a tool.
 */
export function fromLangChain(tool: LangChainTool, options: Partial<ToolOptions> = {}): Tool {
  checkTool(tool);
  const { name, description, returnDirect = false } = tool;
  const common = { name, description: description || name, returnDirect, ...options };
  const schema = tool.schema === undefined ? undefined : foreignSchema(common.name, tool.schema);
  if (schema === undefined || takesOneString(schema.json)) {
    return defineTool({ ...common, run: (input, context) => invoke(tool, { input }, context) });
  }
  return {
    ...common,
    inputSchema: schema.json,
    parseInput: (input) => objectInput(common.name, schema.json, input),
    async run(input: Json, context: ToolContext) {
      await schema.check(input);
      try {
        // Passes the raw input, since the tool parses it itself.
        return await invoke(tool, input, context);
      } catch (error) {
        throw isRefusal(error)
          ? new ToolInputError(`${error.message}\n${whatItTakes(common.name, schema.json)}`, { cause: error })
          : error;
      }
    },
  };
}

function checkTool(tool: unknown): asserts tool is LangChainTool {
  const { name, invoke: run } = (tool ?? {}) as Partial<LangChainTool>;
  if (typeof name === 'string' && name !== '' && typeof run === 'function') return;
  throw new Error(
    `fromLangChain: ${called(name)} is not a LangChain tool: it needs a name and invoke(input). Make it with tool(…) of @langchain/core/tools.`,
  );
}

function called(name: unknown): string {
  return typeof name === 'string' && name !== '' ? `"${name}"` : 'this';
}

/** LangChain's tools of a single string say so by an object with the one field `input`. */
function takesOneString({ properties }: { [key: string]: Json }): boolean {
  const entries = Object.entries(properties ?? {});
  const [first] = entries;
  const type = (first?.[1] as { type?: Json } | undefined)?.type;
  return entries.length === 1 && first?.[0] === 'input' && type === 'string';
}

function invoke(tool: LangChainTool, input: Json, context: ToolContext): unknown {
  const config = { signal: context.signal, configurable: { idempotencyKey: context.idempotencyKey } };
  return tool.invoke(input as never, config as never);
}

/** The class does not have a name, so check its fields. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.constructor.name === 'ToolInputParsingException';
}
