import { type DeferToken, readToken, writeToken } from '../../agent/calls/defer-token.ts';
import { environmentSigner } from '../../features/encryption/token-signer.ts';
import { InvalidInput } from './errors.ts';

/** Place of a deferred call, and the token as its run knows it. */
export interface DeferredCall extends Pick<DeferToken, 'id' | 'call'> {
  token: string;
}

/**
 * Reads the token that a deferred call gave out. Throws InvalidInput for a value that is not a token, and for one that is not signed with a
 * key of RELOOP_DEFER_KEY, where the variable is set.
 */
export function readDeferred(text: string): DeferredCall {
  const read = readToken(text);
  if (read === undefined)
    throw new InvalidInput('This is not a token of a deferred call: pass on what ctx.defer() gave.');
  const { signature = '', ...unsigned } = read;
  const token = writeToken(unsigned);
  if (environmentSigner()?.isSigned(token, signature) === false)
    throw new InvalidInput(
      'This token is not signed with a key of RELOOP_DEFER_KEY. Give the workers the same variable; a token of a worker without it can be given with `reloop resolve RUN CALL`.',
    );
  return { id: read.id, call: read.call, token };
}
