import type { Client } from '@temporalio/client';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  encodeToPayloads,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';

/** Payloads go through the client's own data converter and codecs, always: the only place that knows the SDK's way to it. */

export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

type WithConverter = Pick<Client, 'options'>;

/** The first argument or the result behind a payload list. */
export async function decodeFirst(client: WithConverter, payloads: Payloads): Promise<unknown> {
  const list = payloads?.payloads;
  if (list === undefined || list === null || list.length === 0) return undefined;
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, list);
}

export function decodeFailure(
  client: WithConverter,
  failure: temporal.api.failure.v1.IFailure | null | undefined,
): Promise<Error | undefined> {
  return decodeOptionalFailureToOptionalError(client.options.loadedDataConverter, failure);
}

export async function encode(
  client: WithConverter,
  value: unknown,
): Promise<temporal.api.common.v1.IPayloads> {
  return { payloads: (await encodeToPayloads(client.options.loadedDataConverter, value)) ?? [] };
}
