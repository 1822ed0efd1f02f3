import { ServiceError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { noAnswerWords } from '../../../../activities/limits/no-answer-words.ts';

const grpc = (code: number, details: string) =>
  Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
const wrapped = (code: number, details: string) =>
  new ServiceError('Update-With-Start failed', { cause: grpc(code, details) });

test.each<[name: string, error: Error, words: string]>([
  [
    'a workflow that nobody runs',
    new WorkflowUpdateRPCTimeoutOrCancelledError('late', { cause: grpc(4, 'Deadline exceeded') }),
    'The workflow budget does not answer: check that a worker runs the workflows of its task queue',
  ],
  [
    'a server that is away',
    wrapped(14, 'no connection'),
    'The Temporal server does not answer the message to the workflow budget: 14: no connection',
  ],
  [
    'a key without the right',
    wrapped(7, 'not for you.'),
    'The Temporal server refuses the message to the workflow budget: 7: not for you. Check that this worker may start workflows and update them',
  ],
  [
    'any other reason',
    wrapped(8, 'too many updates'),
    'The message to the workflow budget failed: 8: too many updates',
  ],
])('a call that waits says why: %s', (_name, error, words) => {
  expect(noAnswerWords('budget', error)).toBe(words);
});
