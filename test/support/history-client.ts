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
  const options = { namespace: 'default', loadedDataConverter };
  return { workflowService, withDeadline, options } as unknown as Client;
}
