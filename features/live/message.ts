import type { Client } from '@temporalio/client';
import messages from '@temporalio/proto';
import { isObject } from '../../agent/values/json-object.ts';
import type { LivePiece } from '../../agent/live-text/live-piece.ts';
import { decodeFirst, encode } from '../../history/read/payloads.ts';

const { Payload } = messages.temporal.api.common.v1;
const KINDS: readonly unknown[] = ['text', 'reasoning', 'progress'];

/** Writes a piece with the client's codecs, so that it is encrypted as the run's payloads are. */
export async function writePiece(client: Pick<Client, 'options'>, piece: LivePiece): Promise<string> {
  const { payloads } = await encode(client, piece);
  return Buffer.from(Payload.encode(payloads?.[0] ?? {}).finish()).toString('base64');
}

/** Reads a message; undefined for one that is not a piece, or not readable with the client's keys. Never rejects. */
export async function readPiece(
  client: Pick<Client, 'options'>,
  message: string,
): Promise<LivePiece | undefined> {
  try {
    const payload = Payload.decode(Buffer.from(message, 'base64'));
    const value = await decodeFirst(client, { payloads: [payload] });
    return isPiece(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isPiece(value: unknown): value is LivePiece {
  if (!isObject(value)) return false;
  const { scheduledAt, attempt, restart, runId, call, kind, offset, delta } = value;
  return (
    [scheduledAt, attempt, restart, offset].every((number) => Number.isSafeInteger(number)) &&
    [runId, call, delta].every((text) => typeof text === 'string') &&
    KINDS.includes(kind)
  );
}
