import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import {
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  encodeToPayloads,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import type { ErrorInfo } from '../../agent/values/vocabulary.ts';
import { type FailedCall, readFailure } from '../../agent/calls/failures.ts';
import { unreadable } from '../../agent/values/unreadable-payload.ts';

/** Payloads go through the client's own data converter and codecs, always: the only place that knows the SDK's way to it. */

export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** A recorded value, decoded when it is first asked for and only then: it may be large, and it may be somebody else's. */
export type Recorded = () => Promise<unknown>;

/** A recorded value behind the first, by its place from 0; undefined where there is none. */
export type RecordedBehind = (index: number) => Promise<unknown>;

/** A recorded failure, likewise. */
export type RecordedError = () => Promise<ErrorInfo>;
/** The same with all that it says of its call. */
export type RecordedFailure = () => Promise<FailedCall>;

export type Failure = temporal.api.failure.v1.IFailure | null | undefined;
type WithConverter = Pick<Client, 'options'>;

/** The first argument or the result behind a payload list. */
export function recorded(client: WithConverter, payloads: Payloads): Recorded {
  let decoded: Promise<unknown> | undefined;
  return () => (decoded ??= decodeFirst(client, payloads));
}

/** The same of what anybody may have sent: undefined for what the run itself could not read. */
export function recordedFromOutside(client: WithConverter, payloads: Payloads): Recorded {
  const read = recorded(client, payloads);
  const convert = (payload: Payload) => defaultPayloadConverter.fromPayload(payload);
  return async () => {
    const [first] = payloads?.payloads ?? [];
    return first && unreadable(first, convert) !== undefined ? undefined : read();
  };
}

/** The arguments behind the first. */
export function recordedBehind({ options }: WithConverter, payloads: Payloads): RecordedBehind {
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

/** The first argument or the result behind a payload list, now. */
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
