import { z } from 'zod/v4';
import { madeBy } from './same-tool.ts';
import { type Tool, type ToolOptions, defineTool } from './tool.ts';

export interface HumanOptions extends Pick<ToolOptions, 'askTimeout' | 'returnDirect'> {
  /** Default 'ask_human'. */
  name?: string | undefined;
  /** Description for the model: the person to ask, and the occasions. */
  description?: string | undefined;
}

/**
 * A person as a tool: the model's question waits, as a call with the reason `answer`, until a person answers it with
 * `resolve`, from the CLI, a program or the Web UI. Nothing runs meanwhile.
 */
export function human({
  name = 'ask_human',
  description = 'Asks a person. Use it when you need a decision or a fact that only a person can give. Input: the question.',
  ...options
}: HumanOptions = {}): Tool {
  const tool = defineTool({
    ...options,
    name,
    description,
    input: z.object({ question: z.string() }),
    run() {
      throw new Error(`${name} is answered by a person, not here.`);
    },
  });
  return madeBy(human, { name, description, ...options }, { ...tool, remote: { type: 'human' } });
}
