import { z } from 'zod/v4';
import { BACKGROUND_TOOL, controlActions } from '../../../agent/background/background-input.ts';
import { type Tool, ToolError, defineTool } from '../tool.ts';

/** The tool by which a model controls its background calls. Its run has done what was asked when the activity begins, which adds the progress. */
export const backgroundTool: Tool = defineTool({
  name: BACKGROUND_TOOL,
  description:
    'Controls a call that runs in the background, by its ticket. ask: says what the call does now. wait: returns when the call is over, for when nothing else can be done. cancel: ends the call. The result always comes as a message, so there is no need to ask for it.',
  input: z.object({
    action: z.enum(controlActions),
    ticket: z.string().describe('The ticket of the call, as a string: "3.1".'),
  }),
  effects: 'none',
  onFailure: 'observe',
  run() {
    throw new ToolError('The input could not be read. Give the action, and the ticket as a string.');
  },
});
