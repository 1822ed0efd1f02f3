import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload } from '@temporalio/common';
import { ENCRYPTING } from '../agent/values/names.ts';
import type { LoadedConfig } from '../config/load/loaded-config.ts';
import { createCodec } from '../features/encryption/codec.ts';
import { type Keyring, noKeys } from '../features/encryption/keys.ts';

const failureConverterPath = fileURLToPath(new URL('encrypted-failures.cjs', import.meta.url));

/** Data converter of a worker with the config's keys and storage. `own`: the user's. */
export function payloadConverter(
  { encryption, storage }: Pick<LoadedConfig, 'encryption' | 'storage'>,
  own: DataConverter = {},
): DataConverter {
  const stored = storage === undefined ? {} : { externalStorage: storage };
  return { ...stored, ...encryptedConverter(encryption, own) };
}

/**
 * Data converter of a worker. Without keys it changes nothing, and names the key of a payload that is encrypted. `own`: the user's, whose
 * codecs encode first.
 */
export function encryptedConverter(keys: Keyring | undefined, own: DataConverter = {}): DataConverter {
  // A codec of the user may encrypt.
  if (keys === undefined && own.payloadCodecs !== undefined) return own;
  if (keys === undefined) return { ...own, payloadCodecs: [createCodec(noKeys)] };
  const codec = createCodec(keys);
  const decode = async (payloads: Payload[]) => (await codec.decode(payloads)).map(marked);
  return {
    failureConverterPath,
    ...own,
    payloadCodecs: [...(own.payloadCodecs ?? []), { encode: (payloads) => codec.encode(payloads), decode }],
  };
}

const MARK = { [ENCRYPTING]: new Uint8Array() };

/** Marks a decoded payload, also one that came in clear: the workflow code has no other way to know its worker's converter. */
function marked(payload: Payload): Payload {
  return { ...payload, metadata: { ...payload.metadata, ...MARK } };
}
