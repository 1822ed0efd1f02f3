import { z } from 'zod/v4';
import type { JsonSchema, ToolManifest } from '../../../agent/definition/manifest.ts';
import { SEARCH_TOOLS, USE_TOOL } from '../../../agent/definition/tool-search.ts';
import { type Tool, defineTool } from '../tool.ts';
import { rankTools } from './rank-tools.ts';

/** Schema of a tool that takes one plain string, which takes an object of one text too. */
const ONE_STRING: JsonSchema = { type: 'object', properties: { input: { type: 'string' } } };

/** Makes the tool by which an agent finds tools that its prompt does not show: those that its run began with. */
export function createSearchTool(): Tool {
  const tool = (hidden: readonly ToolManifest[], results: number) =>
    defineTool({
      name: SEARCH_TOOLS,
      description: `Finds tools. There are many more than are listed here: search before you say that you cannot do something. Returns name, description and input schema of those that fit best. Call them with ${USE_TOOL}.`,
      input: z.object({ query: z.string().describe('What the tool should do, in a few words.') }),
      effects: 'none',
      inline: true,
      run: ({ query }) => {
        const found = rankTools(query, hidden).slice(0, results);
        if (found.length === 0)
          return `None of the ${hidden.length} tools has these words. Search with other words.`;
        return found.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchema: inputSchema ?? ONE_STRING,
        }));
      },
    });
  return {
    ...tool([], 0),
    forAgent: ({ tools, toolSearch }) =>
      tool(
        tools.filter(({ hidden }) => hidden === true),
        toolSearch?.results ?? 0,
      ),
  };
}

/** The tool that calls others. Its code never runs: each call of it is read as one of another tool, or is an error for the model. */
export const useTool: Tool = {
  name: USE_TOOL,
  description: `Calls a tool that ${SEARCH_TOOLS} has found.`,
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name of the tool.' },
      input: {
        type: 'object',
        description: 'The input of the tool, as its input schema wants it.',
        additionalProperties: true,
      },
    },
    required: ['name', 'input'],
  },
  effects: 'none',
  parseInput: (input) => input,
  run() {
    throw new Error(`${USE_TOOL} stands for another tool.`);
  },
};
