/** The workflows of the workflow tests: Reloop's own, and some that use them as a user would. */
import { ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { CallModelInput, ModelTurn } from '../../agent/calls/calls.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { readFailure } from '../../agent/calls/failures.ts';
import { type RunResult, runAgent } from '../../workflows/index.ts';

export * from '../../workflows/index.ts';

/** Two agents, one after the other: the second answers about the first one's output. */
export async function inTurn(agent: string, question: string): Promise<RunResult[]> {
  const first = await runAgent(agent, question);
  const second = await runAgent(agent, asText(first.output));
  return [first, second];
}

/** Two agents side by side in one workflow. */
export async function sideBySide(agent: string, questions: string[]): Promise<RunResult[]> {
  return Promise.all(questions.map((question) => runAgent(agent, question)));
}

/** A workflow that has more to do when its first agent has failed. */
export async function goingOn(agent: string, next: string): Promise<string> {
  const failed = await runAgent(agent, 'what?').catch((failure: unknown) => readFailure(failure).error.type);
  const { output } = await runAgent(next, typeof failed === 'string' ? failed : 'no failure');
  return asText(output);
}

/** Model calls by hand, one after the other: what a later call may rest on when an earlier one failed. */
export async function modelCalls(calls: { id: string; input: CallModelInput }[]): Promise<string[]> {
  const texts: string[] = [];
  for (const { id, input } of calls) {
    const { callModel } = proxyActivities<{ callModel(input: CallModelInput): Promise<ModelTurn> }>({
      activityId: id,
      startToCloseTimeout: '30s',
      heartbeatTimeout: '10s',
    });
    texts.push(
      await callModel(input).then(
        ({ text }) => text,
        (failure: unknown) => readFailure(failure).error.type,
      ),
    );
  }
  return texts;
}

/** An agent beside an activity of the workflow's own, under way all the while. */
export async function beside(agent: string, question: string): Promise<string> {
  const { own } = proxyActivities<{ own(): Promise<string> }>({ startToCloseTimeout: '1m' });
  const [result, mine] = await Promise.all([runAgent(agent, question), own()]);
  return `${asText(result.output)}, ${mine}`;
}

/** A promise that nobody minds is rejected. */
export async function leavesRejection(): Promise<void> {
  void Promise.reject(new Error('left alone'));
  await Promise.resolve();
}

/** Fails with an error of its own, whose stack says where. */
export async function failsHere(): Promise<void> {
  await Promise.resolve();
  throw ApplicationFailure.nonRetryable('here');
}
