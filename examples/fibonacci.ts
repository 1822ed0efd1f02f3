import { defineAgent, defineConfig, python } from 'reloop';
import { demoModel } from './demo-model.ts';

const define = `def fibonacci(n):
    if n == 0:
        return 0
    elif n == 1:
        return 1
    else:
        return fibonacci(n-1) + fibonacci(n-2)`;

/** Seed 000: four loops, a tool that keeps what was defined, and 55. */
export const fibonacci = defineAgent({
  name: 'fibonacci',
  kind: 'zero-shot',
  description: 'computes with a Python REPL',
  model: demoModel([
    ' I need to calculate the 10th fibonacci number\nAction: Python REPL\nAction Input: fibonacci(10)',
    ` I need to define a function to calculate the fibonacci number\nAction: Python REPL\nAction Input: ${define}`,
    ' I now have a function to calculate the fibonacci number\nAction: Python REPL\nAction Input: fibonacci(10)',
    ' I now know the final answer\nFinal Answer: 55',
  ]),
  temperature: 0,
  tools: [
    python({
      name: 'Python REPL',
      description:
        'A Python shell that remembers what was defined. The input is Python code; only what it prints is returned.',
    }),
  ],
});

export const fibonacciQuestion = 'What is the 10th fibonacci number?';

export default defineConfig({ agents: [fibonacci] });
