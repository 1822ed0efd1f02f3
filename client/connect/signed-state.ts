import { environmentSigner } from '../../features/encryption/token-signer.ts';
import { parseJson } from '../../agent/values/json-object.ts';
import { fieldOf } from '../../agent/values/values.ts';

/** A state that a sender gets and sends back. `owner`: who it is for, as a text that no two senders and no two uses share. */
export interface SignedState {
  owner: string;
  value: string;
}

/** Writes a state, with a signature where RELOOP_DEFER_KEY is set. The value can be read by anybody. */
export function writeState({ owner, value }: SignedState): string {
  const signature = environmentSigner()?.sign(signedText({ owner, value }));
  return Buffer.from(JSON.stringify({ value, signature })).toString('base64url');
}

/** The value of a state. undefined: this owner was not given this state. Without RELOOP_DEFER_KEY only the form is looked at. */
export function readState(text: string, owner: string): string | undefined {
  const read = parseJson(Buffer.from(text, 'base64url').toString());
  const [value, signature] = [fieldOf(read, 'value'), fieldOf(read, 'signature')];
  if (typeof value !== 'string') return undefined;
  const given = typeof signature === 'string' ? signature : '';
  return environmentSigner()?.isSigned(signedText({ owner, value }), given) === false ? undefined : value;
}

/** No token of a deferred call starts with a bracket. */
function signedText({ owner, value }: SignedState): string {
  return JSON.stringify([owner, value]);
}
