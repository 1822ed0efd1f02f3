import type { Client } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';

/** Of a client, what reading a history needs, over a made-up service. */
export function historyClient(workflowService: object): Client {
  const loadedDataConverter = {
    payloadConverter: defaultPayloadConverter,
    failureConverter: defaultFailureConverter,
    payloadCodecs: [],
  };
  const withDeadline = (_deadline: unknown, ask: () => Promise<unknown>) => ask();
  const withAbortSignal = (_signal: AbortSignal, ask: () => Promise<unknown>) => ask();
  const options = { namespace: 'default', loadedDataConverter };
  return { connection: {}, workflowService, withDeadline, withAbortSignal, options } as unknown as Client;
}
