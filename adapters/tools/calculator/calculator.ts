import { ComputationTimeout, evaluate, type Evaluated } from './math.ts';
import { type Tool, type ToolOptions, ToolError, defineTool } from '../tool.ts';
import { madeBy } from '../same-tool.ts';

const defaults = {
  name: 'calculator',
  description:
    'Computes one mathematical expression, such as 37593 * 67, 25^0.43, sqrt(2) or 5 inch to cm. ' +
    'The input is the expression.',
  effects: 'none',
} as const;

/** Evaluates an expression; a question in words is first put to the agent's model, to be written as one. */
export function calculator(options: Partial<ToolOptions> = {}): Tool {
  const tool = defineTool({
    ...defaults,
    inline: options.effects !== 'once',
    ...options,
    async run(input, context) {
      if (input.trim() === '') throw new ToolError(`The calculator was given nothing. ${WHAT_TO_DO}`);
      const given = within(input, context.attempt);
      if (given.ok) return `Answer: ${given.value}`;
      const expression = expressionIn(await context.complete(askForExpression(input)));
      const written = within(expression, context.attempt);
      if (written.ok) return `Answer: ${written.value}`;
      throw new ToolError(
        `The calculator could not read "${short(input)}" (${given.problem}), ` +
          `nor "${short(expression)}" (${written.problem}). ${WHAT_TO_DO}`,
      );
    },
  });
  return madeBy(calculator, options, tool);
}

/** A machine may be busy once: a time-out is tried again. If it stays, it becomes the observation. */
function within(expression: string, attempt: number): Evaluated {
  try {
    return evaluate(expression);
  } catch (error) {
    if (!(error instanceof ComputationTimeout) || attempt === 1) throw error;
    throw new ToolError(
      `"${short(expression)}" takes too long to compute. Give the calculator something smaller.`,
    );
  }
}

const WHAT_TO_DO = 'Give it one expression in numbers, such as 37593 * 67.';

function askForExpression(question: string): string {
  return `Write the question below as one expression that a calculator can evaluate: numbers, the operators + - * / ^,
and functions such as sqrt, log, sin, mean. No variables and no words. Reply with the expression only, in a block like this:

\`\`\`text
37593 * 67
\`\`\`

Question: ${question}`;
}

/** Text in the reply's first block, or the whole reply. */
function expressionIn(reply: string): string {
  const block = /```(?:text|txt|plaintext|math|python)?([\s\S]*?)(?:```|$)/iu.exec(reply);
  return (block?.[1] ?? reply).replace(/^\s*answer:/iu, '').trim();
}

function short(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
