import { createHash, timingSafeEqual } from 'node:crypto';
import { InvalidInput, type RunContext } from '../../client/index.ts';
import { overridesOf } from '../../agent/start/overrides.ts';
import { senderProblem } from '../../agent/start/sender-name.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { LEAST_TOKEN_CHARS } from '../../agent/values/limits.ts';
import { type Permission, permissions } from '../access/field-table.ts';
import { Refused } from './problem.ts';
import { type RouteName, type Scope, scopes, scopesOf } from '../access/route-table.ts';

export type { Permission } from '../access/field-table.ts';
export type { Scope } from '../access/route-table.ts';

/** The sender of a request. */
export interface Caller {
  /** Recorded with each decision and message. The runs and sessions that the caller starts belong to this name in the tenant. */
  name: string;
  scopes: readonly Scope[];
  /** Rights beside the scopes. Default: none. `admin` has all. */
  may?: readonly Permission[];
  /** The context of all runs that the caller starts or forks: whom tools serve. */
  context?: RunContext;
  /** The caller sees the runs and sessions of this tenant only. Letters, digits, `-` and `_`. Left out: all tenants. */
  tenant?: string;
  /** A proof of the name for the config's `authorize`. */
  credential?: string;
}

/** A caller with a bearer token. */
export interface TokenCaller extends Caller {
  token: string;
}

/** Returns the caller of a request; undefined or null: unknown. */
export type Authenticate = (
  request: Request,
) => Caller | undefined | null | Promise<Caller | undefined | null>;

/** Authenticates by `Authorization: Bearer TOKEN`. Throws InvalidInput for tokens that cannot be used. */
export function byToken(callers: readonly TokenCaller[]): Authenticate {
  if (callers.length === 0)
    throw new InvalidInput('The list of tokens is empty, so no caller could come in.');
  const known = callers.map((entry, index) => {
    if (!isObject(entry)) {
      throw new InvalidInput(
        `Entry ${index + 1} of the tokens is ${JSON.stringify(entry)}. Write { token, name, scopes }.`,
      );
    }
    const { token, ...caller } = entry;
    checkToken(token, caller.name);
    return { token, digest: digestOf(token), caller: checkedCaller(caller) };
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

const FIELDS: { readonly [F in keyof Caller]-?: true } = {
  name: true,
  scopes: true,
  may: true,
  context: true,
  tenant: true,
  credential: true,
};

/** Throws InvalidInput for a caller that no request can have. A field that is undefined or null lets no caller in. */
export function checkedCaller(caller: Caller): Caller {
  if (!isObject(caller)) throw new InvalidInput('A caller is not an object such as { name, scopes }.');
  const { name, tenant, scopes: given, may = [], credential } = caller; // checked here
  if (typeof name !== 'string' || name.trim() === '') throw new InvalidInput('A caller has no name.');
  const problem = senderProblem(name);
  if (problem !== undefined) throw new InvalidInput(`The name of a caller is too long: ${problem}`);
  const unknown = Object.keys(caller).find((field) => !Object.hasOwn(FIELDS, field));
  if (unknown !== undefined) {
    const known = Object.keys(FIELDS).join(', ');
    throw new InvalidInput(`${name} has an unknown field ${JSON.stringify(unknown)}. Known: ${known}.`);
  }
  for (const [field, value] of Object.entries(caller)) {
    if (value !== undefined && value !== null) continue;
    throw new InvalidInput(`The ${field} of ${name} is ${value}. Give a value, or leave out the field.`);
  }
  if ('tenant' in caller && (typeof tenant !== 'string' || !/^[\w-]{1,64}$/u.test(tenant))) {
    throw new InvalidInput(
      `The tenant of ${name} has to be 1 to 64 letters, digits, "-" and "_", but is ${JSON.stringify(tenant)}.`,
    );
  }
  if (credential !== undefined && typeof credential !== 'string')
    throw new InvalidInput(`The credential of ${name} has to be a text.`);
  checkNames(`The scopes of ${name}`, given, scopes);
  checkNames(`The list \`may\` of ${name}`, may, permissions);
  checkContext(caller);
  return caller;
}

function checkNames(what: string, given: unknown, known: readonly string[]): void {
  if (Array.isArray(given) && given.every((one) => known.includes(one as string))) return; // of any type
  throw new InvalidInput(`${what} have to be a list of ${known.join(', ')}.`);
}

function checkContext({ name, context }: Caller): void {
  try {
    overridesOf({ context });
  } catch (error) {
    throw new InvalidInput(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** True if the caller has the scopes of the route. */
export function mayUse(caller: Caller, route: RouteName): boolean {
  return missingScope(caller, route) === undefined;
}

/** True if the caller has the permission. */
export function isAllowed(
  { scopes: given, may = [] }: Pick<Caller, 'scopes' | 'may'>,
  permission: Permission,
): boolean {
  return may.includes(permission) || given.includes('admin');
}

/** Throws Refused for a caller without the scopes of the route. */
export function demand(caller: Caller, route: RouteName): void {
  const missing = missingScope(caller, route);
  if (missing === undefined) return;
  throw new Refused(403, 'Forbidden', `${caller.name} does not have the scope ${missing}.`);
}

/** A sentence about the first scope of the route that the caller lacks. */
function missingScope({ scopes: given }: Caller, route: RouteName): string | undefined {
  if (given.includes('admin')) return undefined;
  const missing = scopesOf(route).find((one) =>
    typeof one === 'string' ? !given.includes(one) : !one.some((other) => given.includes(other)),
  );
  return missing === undefined || typeof missing === 'string' ? missing : missing.join(' or ');
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
