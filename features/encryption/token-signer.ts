import { createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { setValue } from '../../agent/values/set-value.ts';

/** Signs the tokens of deferred calls, so that a token that was not given out is refused before a run is asked. */
export interface TokenSigner {
  /** HMAC-SHA256 of a token with the first key, as base64url. */
  sign(token: string): string;
  /** Returns true for a signature that one of the keys has made. */
  isSigned(token: string, signature: string): boolean;
}

const VARIABLE = 'RELOOP_DEFER_KEY';
const LEAST_CHARS = 32;

/** The keys of RELOOP_DEFER_KEY, with commas between, the newest first; undefined: the variable is not set. Throws InvalidInput. */
export function environmentSigner(env: NodeJS.ProcessEnv = process.env): TokenSigner | undefined {
  const value = setValue(env[VARIABLE]);
  if (value === undefined) return undefined;
  const keys = value.split(',').map((key) => key.trim());
  const [first = ''] = keys;
  if (keys.some(({ length }) => length < LEAST_CHARS)) {
    throw new InvalidInput(
      `${VARIABLE}: a key has at least ${LEAST_CHARS} characters; several keys have commas between, the newest first. \`openssl rand -hex 32\` prints one.`,
    );
  }
  return {
    sign: (token) => hmac(first, token).toString('base64url'),
    isSigned(token, signature) {
      const given = Buffer.from(signature, 'base64url');
      return keys.some((key) => isEqual(hmac(key, token), given));
    },
  };
}

function hmac(key: string, token: string): Buffer {
  return createHmac('sha256', key).update(token).digest();
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
