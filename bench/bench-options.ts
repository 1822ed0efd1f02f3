import { parseArgs } from 'node:util';

export interface BenchOptions {
  rounds: number;
  /** How long the long runs are. */
  steps: number[];
  /** How many short runs are under way at a time. */
  concurrency: number[];
  /** How long each of these is. */
  runSteps: number;
  /** Contestants by name; default: all that are installed. */
  only: string[] | undefined;
  /** In bytes. */
  observation: number;
  /** Where all numbers go, as JSON. */
  json: string | undefined;
}

export const USAGE =
  'npm run bench -- [--rounds 3] [--steps 20,100,300] [--concurrency 1,16,64] [--run-steps 5] [--observation 2048] [--only floor,reloop] [--json FILE] [--quick]';

const defaults = { rounds: '3', steps: '20,100,300', concurrency: '1,16,64' };
/** To see that everything works; its numbers mean nothing. */
const quick = { rounds: '1', steps: '5', concurrency: '2', only: 'floor,append,reloop' };

/** Throws for what is not an option, or no number. */
export function benchOptions(args: string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      rounds: text,
      steps: text,
      concurrency: text,
      'run-steps': text,
      only: text,
      observation: text,
      json: text,
      quick: { type: 'boolean' },
    },
  });
  const {
    rounds,
    steps,
    concurrency,
    only,
    observation = '2048',
    'run-steps': runSteps = '5',
  } = {
    only: undefined,
    ...(values.quick === true ? quick : defaults),
    ...values,
  };
  return {
    rounds: count('rounds', rounds),
    steps: list(steps).map((one) => count('steps', one)),
    concurrency: list(concurrency).map((one) => count('concurrency', one)),
    runSteps: count('run-steps', runSteps),
    only: only === undefined ? undefined : list(only),
    observation: count('observation', observation),
    json: values.json,
  };
}

function list(text: string): string[] {
  return text.split(',').filter((one) => one !== '');
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d*$/u.test(text)) throw new Error(`--${option}: "${text}" is not a whole number above 0.`);
  return Number(text);
}
