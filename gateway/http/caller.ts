import { createHash, timingSafeEqual } from 'node:crypto';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { LEAST_TOKEN_CHARS } from '../../agent/values/limits.ts';
import { Refused } from './problem.ts';

/** `run`: start runs. `decide`: decide on calls, and steer runs. `read`: see them. `admin`: all of these. */
export type Scope = 'run' | 'decide' | 'read' | 'admin';

const scopes = ['run', 'decide', 'read', 'admin'] as const satisfies readonly Scope[];

/** The sender of a request. */
export interface Caller {
  /** Recorded with each decision and message. */
  name: string;
  scopes: readonly Scope[];
  /** The caller sees the runs and sessions of this tenant only. Letters, digits, `-` and `_`. Default: all runs. */
  tenant?: string | undefined;
  /** A proof of the name for the config's `authorize`. */
  credential?: string | undefined;
}

/** A caller with a bearer token. */
export interface TokenCaller extends Omit<Caller, 'scopes'> {
  token: string;
  /** Default: `admin`. */
  scopes?: readonly Scope[] | undefined;
}

/** Returns the caller of a request; undefined: unknown. */
export type Authenticate = (request: Request) => Caller | undefined | Promise<Caller | undefined>;

/** Authenticates by `Authorization: Bearer TOKEN`. Throws InvalidInput for tokens that cannot be used. */
export function byToken(callers: readonly TokenCaller[]): Authenticate {
  if (callers.length === 0) throw new InvalidInput('The list of tokens is empty: nobody could come in.');
  const known = callers.map((entry, index) => {
    if (!isObject(entry)) {
      throw new InvalidInput(
        `Entry ${index + 1} of the tokens is ${JSON.stringify(entry)}. Write { token, name, scopes }.`,
      );
    }
    const { token, scopes: given = ['admin'], ...caller } = entry;
    checkToken(token, caller.name);
    return { token, digest: digestOf(token), caller: checkedCaller({ ...caller, scopes: given }) };
  });
  for (const [index, { token, caller }] of known.entries()) {
    const other = known.slice(0, index).find((one) => one.token === token);
    if (other !== undefined)
      throw new InvalidInput(`${other.caller.name} and ${caller.name} have the same token.`);
  }
  return (request) => {
    const [, token] = /^Bearer +(\S+)$/iu.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === undefined) return undefined;
    const digest = digestOf(token);
    return known.find((one) => timingSafeEqual(one.digest, digest))?.caller;
  };
}

/** Throws InvalidInput for a token that can be guessed, or that a header cannot have. */
function checkToken(token: unknown, name: string): asserts token is string {
  if (typeof token !== 'string' || token.length < LEAST_TOKEN_CHARS) {
    throw new InvalidInput(
      `The token of ${name} has fewer than ${LEAST_TOKEN_CHARS} characters. \`openssl rand -hex 16\` prints one.`,
    );
  }
  if (/[^\u{21}-\u{7e}]/u.test(token)) {
    throw new InvalidInput(
      `The token of ${name} has a space, or a letter that is not ASCII: no request could send it.`,
    );
  }
}

/** Everybody is the same caller. */
export const everybody: Authenticate = () => ({ name: 'anybody', scopes: ['admin'] });

/** Throws InvalidInput for a caller that no request can have. */
export function checkedCaller(caller: Caller): Caller {
  const { name, tenant, scopes: given } = caller;
  if (typeof name !== 'string' || name.trim() === '') throw new InvalidInput('A caller has no name.');
  if (tenant !== undefined && !/^[\w-]{1,64}$/u.test(tenant)) {
    throw new InvalidInput(
      `The tenant of ${name} has to be 1 to 64 letters, digits, "-" and "_", but is ${JSON.stringify(tenant)}.`,
    );
  }
  const known = new Set<unknown>(scopes);
  if (Array.isArray(given) && given.every((scope: unknown) => known.has(scope))) return caller;
  throw new InvalidInput(`The scopes of ${name} have to be a list of ${scopes.join(', ')}.`);
}

export function mayDo({ scopes: given }: Caller, scope: Scope): boolean {
  return given.includes(scope) || given.includes('admin');
}

/** Throws Refused for a caller without the scope. */
export function demand(caller: Caller, scope: Scope): void {
  if (mayDo(caller, scope)) return;
  throw new Refused(403, 'Forbidden', `${caller.name} does not have the scope ${scope}.`);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
