/** The workflows of the workflow tests: Reloop's own, and some that use them as a user would. */
import { readFailure } from '../../agent/failures.ts';
import { type RunResult, runAgent } from '../../workflows/index.ts';

export * from '../../workflows/index.ts';

/** Two agents, one after the other: the second answers about the first one's output. */
export async function inTurn(agent: string, question: string): Promise<RunResult[]> {
  const first = await runAgent(agent, question);
  const second = await runAgent(agent, String(first.output));
  return [first, second];
}

/** Two agents side by side in one workflow. */
export async function sideBySide(agent: string, questions: string[]): Promise<RunResult[]> {
  return Promise.all(questions.map((question) => runAgent(agent, question)));
}

/** A failed agent is a failed step, which a workflow may handle. */
export async function recovering(agent: string, question: string): Promise<string> {
  try {
    await runAgent(agent, question);
    return 'no failure';
  } catch (failure) {
    return readFailure(failure).error.type;
  }
}
