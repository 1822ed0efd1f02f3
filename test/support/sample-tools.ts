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

/** A tool whose calls a person approves. */
export const guarded = defineTool({
  name: 'guarded',
  description: 'asks first',
  approval: 'always',
  run: (input) => `did ${input}`,
});

/** A tool that leaves its results to others. `tokens`: those of its calls so far. */
export function deferringTool(): { deferring: Tool; tokens: string[] } {
  const tokens: string[] = [];
  const deferring = defineTool({
    name: 'deferring',
    description: 'leaves its result to a webhook',
    async run(_input, context) {
      tokens.push((await context.defer()).token);
      return 'sent';
    },
  });
  return { deferring, tokens };
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
