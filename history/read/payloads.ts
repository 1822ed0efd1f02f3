import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import {
  decode,
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  encodeToPayloads,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import type { ErrorInfo } from '../../agent/values/vocabulary.ts';
import { type FailedCall, readFailure } from '../../agent/calls/failures.ts';
import { unreadable } from '../../agent/values/unreadable-payload.ts';

/** Decodes and encodes payloads with the client's data converter and codecs. Only this file imports the SDK's internals for that. */

export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** A recorded value. Decoded at the first call, because it may be large, or another program's. */
export type Recorded = () => Promise<unknown>;

/** Reads an argument after the first, by its index from 0; undefined: there is none. */
export type LaterArguments = (index: number) => Promise<unknown>;

/** A recorded failure. Decoded when it is called. */
export type RecordedError = () => Promise<ErrorInfo>;
/** A recorded failure with the details of its call. */
export type RecordedFailure = () => Promise<FailedCall>;

export type Failure = temporal.api.failure.v1.IFailure | null | undefined;
type WithConverter = Pick<Client, 'options'>;

/** Reads the first argument or the result of a payload list, when it is called. */
export function recorded(client: WithConverter, payloads: Payloads): Recorded {
  let decoded: Promise<unknown> | undefined;
  return () => (decoded ??= decodeFirst(client, payloads));
}

/** Reads a value that any sender may have written; undefined for a payload that the run could not read either. */
export function recordedFromOutside(client: WithConverter, payloads: Payloads): Recorded {
  const read = recorded(client, payloads);
  const convert = (payload: Payload) => defaultPayloadConverter.fromPayload(payload);
  return async () => {
    const [sent] = payloads?.payloads ?? [];
    const [first] =
      sent === undefined ? [] : await decode(client.options.loadedDataConverter.payloadCodecs, [sent]);
    return first && unreadable(first, convert) !== undefined ? undefined : read();
  };
}

/** Reads the arguments after the first. */
export function laterArguments({ options }: WithConverter, payloads: Payloads): LaterArguments {
  return async (index) => {
    const list = payloads?.payloads ?? [];
    if (index + 1 >= list.length) return undefined;
    return decodeFromPayloadsAtIndex(options.loadedDataConverter, index + 1, list);
  };
}

export function recordedError(client: WithConverter, failure: Failure): RecordedError {
  const read = recordedFailure(client, failure);
  return async () => (await read()).error;
}

export function recordedFailure(client: WithConverter, failure: Failure): RecordedFailure {
  return async () => {
    const { loadedDataConverter } = client.options;
    return readFailure(await decodeOptionalFailureToOptionalError(loadedDataConverter, failure));
  };
}

/** Decodes the first argument or the result of a payload list. */
export async function decodeFirst(client: WithConverter, payloads: Payloads): Promise<unknown> {
  const list = payloads?.payloads;
  if (list === undefined || list === null || list.length === 0) return undefined;
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, list);
}

export async function encode(
  client: WithConverter,
  value: unknown,
): Promise<temporal.api.common.v1.IPayloads> {
  return { payloads: (await encodeToPayloads(client.options.loadedDataConverter, value)) ?? [] };
}
