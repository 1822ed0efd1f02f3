import { InvalidInput } from '../values/refusal.ts';
import { boundedText } from '../values/values.ts';

/** Example input of each workflow, for a start by hand. */
export const startExamples = {
  agentRun: 'one JSON object such as {"agent":"helper","input":"What is five times five?"}',
  agentBatch:
    'one JSON object such as {"agent":"helper","inputs":["What is 5 x 5?","What is 6 x 6?"],"concurrency":4}',
  backtestRun: 'written by a backtest',
  agentSession: 'nothing, or {"name":"alice"} with the workflow id session:alice',
  backtest:
    'one JSON object such as {"agent":"helper","runs":[{"workflowId":"run-1","runId":"…"}],"concurrency":4}',
} as const;

export type StartedWorkflow = keyof typeof startExamples;

export function isStartedWorkflow(type: string): type is StartedWorkflow {
  return Object.hasOwn(startExamples, type);
}

/** Error for an invalid input of a workflow; `problem` is a sentence. */
export function misstart(workflow: StartedWorkflow, problem: string): InvalidInput {
  const text = boundedText(problem, 1_000);
  return new InvalidInput(`${workflow}: ${text} The input is ${startExamples[workflow]}.`);
}
