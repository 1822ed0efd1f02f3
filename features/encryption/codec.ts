import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import messages from '@temporalio/proto';
import type { Keyring, SecretKey } from './keys.ts';

/** Encoding of an encrypted payload. Samples of Temporal's SDKs use the same names and layout, so other tools recognize the payload. */
const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const CIPHER = 'AES/GCM';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const METADATA = { encoding: bytes(ENCRYPTED), 'encryption-cipher': bytes(CIPHER) };

const { Payload: proto } = messages.temporal.api.common.v1;

/** An encrypted payload that was changed, or whose key has the id of another key. */
export class PayloadDamaged extends Error {
  override name = 'PayloadDamaged';
}

/**
 * Encrypts each payload as a whole with AES-256-GCM: a nonce of 96 random bits, the ciphertext, a tag of 128 bits. Decodes payloads by the
 * key id in their metadata, and leaves payloads as they are that are not encrypted. Throws EncryptionKeyMissing, PayloadDamaged.
 */
export function createCodec(keyring: Keyring): PayloadCodec {
  return {
    async encode(payloads) {
      const key = await keyring.current();
      return key === undefined ? payloads : payloads.map((payload) => encrypt(payload, key));
    },
    decode: (payloads) => Promise.all(payloads.map((payload) => decrypt(payload, keyring))),
  };
}

function isEncrypted({ metadata }: Pick<Payload, 'metadata'>): boolean {
  return text(metadata?.['encoding']) === ENCRYPTED;
}

/** Id of the key of an encrypted payload; undefined: the payload is in clear. */
export function keyIdOf(payload: Pick<Payload, 'metadata'>): string | undefined {
  return isEncrypted(payload) ? text(payload.metadata?.[KEY_ID]) : undefined;
}

function encrypt(payload: Payload, { id, bytes: secret }: SecretKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce);
  const sealed = [cipher.update(proto.encode(payload).finish()), cipher.final()];
  return {
    metadata: { ...METADATA, [KEY_ID]: bytes(id) },
    data: Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]),
  };
}

async function decrypt(payload: Payload, keyring: Keyring): Promise<Payload> {
  const id = keyIdOf(payload);
  if (id === undefined) return payload;
  const { bytes: secret } = await keyring.find(id);
  const data = payload.data ?? new Uint8Array();
  const end = data.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, data.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(data.subarray(Math.max(end, 0)));
    const plain = Buffer.concat([decipher.update(data.subarray(NONCE_BYTES, end)), decipher.final()]);
    const { metadata, data: content } = proto.decode(plain);
    return { metadata, data: content };
  } catch (cause) {
    throw new PayloadDamaged(
      `A payload that is encrypted with the key "${id}" cannot be decrypted: it was changed, or another key has that id. Compare the keys.`,
      { cause },
    );
  }
}

function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function text(value: Uint8Array | null | undefined): string {
  return value ? new TextDecoder().decode(value) : '';
}
