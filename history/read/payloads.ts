import { type Client, defaultPayloadConverter } from '@temporalio/client';
import type { ExternalStorage, Payload } from '@temporalio/common';
import {
  decode,
  decodeFromPayloadsAtIndex,
  decodeOptionalFailureToOptionalError,
  decodeReferencePayload,
  encodeToPayloads,
  extstoreInboundOptions,
  ExternalStorageRunner,
  isReferencePayload,
  visit,
  walkActivityTaskCompletion,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { temporal } from '@temporalio/proto';
import type { ErrorInfo } from '../../agent/values/vocabulary.ts';
import { type FailedCall, readFailure } from '../../agent/calls/failures.ts';
import { StorageMissing } from '../../features/storage/storage.ts';
import { unreadable } from '../../agent/values/unreadable-payload.ts';

/** Decodes and encodes payloads with the client's data converter and codecs. Only this file imports the SDK's internals for that. */

export type Payloads = temporal.api.common.v1.IPayloads | null | undefined;

/** A recorded value. Decoded at the first call, because it may be large, or another program's. */
export type Recorded = () => Promise<unknown>;

/** Reads an argument after the first, by its index from 0; undefined without one. */
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
    const { payloadCodecs } = client.options.loadedDataConverter;
    const [first] = sent === undefined ? [] : await decode(payloadCodecs, await retrieved(client, [sent]));
    return first && unreadable(first, convert) !== undefined ? undefined : read();
  };
}

/** Reads the arguments after the first. */
export function laterArguments(client: WithConverter, payloads: Payloads): LaterArguments {
  return async (index) => {
    const later = payloads?.payloads?.[index + 1];
    return later === undefined ? undefined : decodeFirst(client, { payloads: [later] });
  };
}

export function recordedError(client: WithConverter, failure: Failure): RecordedError {
  const read = recordedFailure(client, failure);
  return async () => (await read()).error;
}

export function recordedFailure(client: WithConverter, failure: Failure): RecordedFailure {
  return async () => {
    const { loadedDataConverter } = client.options;
    const { externalStorage } = loadedDataConverter;
    // Decoded in place, so that the next reader finds the values. The SDK walks over failures within larger messages only.
    if (failure && externalStorage !== undefined) {
      const end = { result: { failed: { failure } } };
      await visit(end, walkActivityTaskCompletion, extstoreInboundOptions(externalStorage));
    }
    return readFailure(await decodeOptionalFailureToOptionalError(loadedDataConverter, failure));
  };
}

/** Decodes the first argument or the result of a payload list. */
export async function decodeFirst(client: WithConverter, payloads: Payloads): Promise<unknown> {
  const list = payloads?.payloads;
  if (list === undefined || list === null || list.length === 0) return undefined;
  const first = await retrieved(client, list.slice(0, 1));
  return decodeFromPayloadsAtIndex(client.options.loadedDataConverter, 0, first);
}

function retrieved({ options }: WithConverter, payloads: Payload[]): Promise<Payload[]> {
  return retrieve(options.loadedDataConverter.externalStorage, payloads);
}

/** Puts payloads of the storage in place of their references. Throws StorageMissing. */
export async function retrieve(
  storage: ExternalStorage | undefined,
  payloads: Payload[],
): Promise<Payload[]> {
  const reference = payloads.find(isReferencePayload);
  if (reference === undefined) return payloads;
  if (storage === undefined) throw new StorageMissing(decodeReferencePayload(reference).driverName);
  return new ExternalStorageRunner(storage).retrieve(payloads);
}

export async function encode(
  client: WithConverter,
  value: unknown,
): Promise<temporal.api.common.v1.IPayloads> {
  return { payloads: (await encodeToPayloads(client.options.loadedDataConverter, value)) ?? [] };
}
