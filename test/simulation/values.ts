import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { createCodec, keyIdOf } from '../../features/encryption/codec.ts';
import { createKeyring } from '../../features/encryption/keys.ts';
import { encryptedConverter } from '../../worker/encrypted-converter.ts';
import { type LoadedDataConverter, type Payload, decodeValue, encodeValue, loadConverter } from './sdk.ts';

/** Values as the clients and the workers of a simulation send them. */
export interface Values {
  isEncrypted: boolean;
  /** For clients. */
  converter: DataConverter;
  /** For workers. */
  loaded: LoadedDataConverter;
  encode(value: unknown): Promise<Payload>;
  /** Reads a value that anybody has sent. The laws may do so with an encrypted one too. */
  read(payload: Payload): unknown;
}

export const clearValues: Values = {
  isEncrypted: false,
  converter: {},
  loaded: loadConverter({}),
  encode: async (value) => encodeValue(value),
  read: decodeValue,
};

const NONCE_BYTES = 12;

/** Encrypts all values, as with `encryption: { keys }`. */
export function encryptedValues(): Values {
  const keyring = createKeyring({ keys: [{ id: 'simulated', key: new Uint8Array(32).fill(7) }] });
  const clear = new Map<string, Payload>();
  const remember = (codec: PayloadCodec): PayloadCodec => ({
    decode: (payloads) => codec.decode(payloads),
    async encode(payloads) {
      const encoded = await codec.encode(payloads);
      encoded.forEach((one, at) => clear.set(nonceOf(one), payloads[at] ?? {}));
      return encoded;
    },
  });
  const codec = remember(createCodec(keyring));
  const { payloadCodecs = [], ...worker } = encryptedConverter(keyring);
  return {
    isEncrypted: true,
    converter: { payloadCodecs: [codec] },
    loaded: loadConverter({ ...worker, payloadCodecs: payloadCodecs.map(remember) }),
    async encode(value) {
      const [payload = {}] = await codec.encode([encodeValue(value)]);
      return payload;
    },
    read: (payload) =>
      decodeValue(keyIdOf(payload) === undefined ? payload : (clear.get(nonceOf(payload)) ?? {})),
  };
}

function nonceOf({ data }: Payload): string {
  return Buffer.from(data ?? []).toString('hex', 0, NONCE_BYTES);
}
