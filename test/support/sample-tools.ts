import { type Tool, defineTool } from '../../adapters/tools/tool.ts';
import type { createGate } from './gate.ts';

/** A tool that fails at once and is not tried again. */
export function brokenTool(message = 'out of order', name = 'broken'): Tool {
  return defineTool({
    name,
    description: 'fails',
    retry: { maxAttempts: 1 },
    run: () => Promise.reject(new Error(message)),
  });
}

/** A tool that runs until the gate is opened, and then says its name and input. */
export function gatedTool(gate: ReturnType<typeof createGate>, name = 'slow', more: object = {}): Tool {
  return defineTool({
    name,
    description: 'takes as long as the test wants',
    effects: 'none',
    async run(input) {
      await gate.pass();
      return `${name} ${input}`;
    },
    ...more,
  });
}
