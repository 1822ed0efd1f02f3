import { Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { retryInterceptors } from '../../../../client/connect/closed-channel.ts';

/** Nobody listens there. */
const ADDRESS = '127.0.0.1:1';

test('a request whose retry is due after the connection was closed fails, and throws nothing from a timer', async () => {
  const attempts: number[] = [];
  const [retry, guard] = retryInterceptors();
  if (retry === undefined || guard === undefined) throw new Error('There are two interceptors.');
  const counted: typeof guard = (options, nextCall) => {
    attempts.push(Date.now());
    return guard(options, nextCall);
  };
  const connection = Connection.lazy({ address: ADDRESS, interceptors: [retry, counted] });
  const answer = connection.workflowService.describeNamespace({ namespace: 'default' });
  setTimeout(() => void connection.close(), 30);
  await expect(answer).rejects.toMatchObject({ code: 1, details: 'Channel has been shut down' });
  expect(attempts.length).toBeGreaterThan(1);
});
