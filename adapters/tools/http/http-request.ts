import { parseJson } from '../../../agent/values/json-object.ts';
import { ServiceError } from './error.ts';
import { ToolError } from '../tool.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HeaderFields {
  readonly [name: string]: string;
}

/** One request of the model's, before the config's headers are added. */
export interface HttpRequest {
  url: string;
  method: Method;
  headers: HeaderFields;
  body?: string;
}

export interface HttpInput {
  url: string;
  method: Method;
  body?: string | object | null | undefined;
  headers?: HeaderFields | null | undefined;
}

/** Parts of a request beside the model's own. */
export interface HttpRequestOptions {
  /** Headers that the model may set, in lower case. */
  names: ReadonlySet<string>;
  /** The call's key, and the header that takes it; undefined: none does. */
  key: { header: string; value: string } | undefined;
}

/** Throws ToolError for a request that may not or cannot be sent, whatever its address. */
export function httpRequest(
  { url, method, body, headers }: HttpInput,
  { names, key }: HttpRequestOptions,
): HttpRequest {
  const named = Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const refused = Object.keys(named).filter((name) => !names.has(name));
  if (refused.length > 0) {
    throw new ToolError(
      `You may not set ${refused.join(', ')}. Headers you may set: ${[...names].join(', ')}.`,
    );
  }
  if (Object.values(named).some((value) => /[^\t\x20-\x7e]/.test(value))) {
    throw new ToolError('A header holds a line break or a character outside ASCII. Leave it out.');
  }
  const isEmpty = body === undefined || body === null || body === '';
  if (method === 'GET') {
    if (!isEmpty) throw new ToolError('GET takes no body: use another method, or put it into the query.');
    return { url, method, headers: named };
  }
  // The same key over retries and crashes of this call: a server that supports it does not repeat the effect.
  const always = { ...(key === undefined ? {} : { [key.header]: key.value }), ...named };
  if (isEmpty) return { url, method, headers: always };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = parseJson(text) !== undefined ? 'application/json' : 'text/plain;charset=UTF-8';
  return { url, method, headers: { 'content-type': type, ...always }, body: text };
}

const SAFE_HEADERS = ['accept', 'accept-language', 'content-type'];

/** Follows a redirect as browsers do: 307 and 308 repeat the request, the others ask by GET. Possible credentials stay with their host. */
export function redirected(
  { url, method, headers, body }: HttpRequest,
  status: number,
  { sameOrigin, keyHeader = '' }: { sameOrigin: boolean; keyHeader: string | undefined },
): HttpRequest {
  const isSafe = (name: string) => SAFE_HEADERS.includes(name) || name === keyHeader;
  const kept = sameOrigin
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => isSafe(name)));
  const same = { url, method, headers: kept, ...(body === undefined ? {} : { body }) };
  if (status === 307 || status === 308) return same;
  const { 'content-type': _t, [keyHeader]: _k, ...bodiless } = kept;
  return { url, method: 'GET', headers: bodiless };
}

/**
 * The config's headers win. Throws ServiceError for a header that cannot be sent: fetch's own error would show its
 * value.
 */
export function initOf({ method, headers, body }: HttpRequest, own: HeaderFields): RequestInit {
  const fields = new Headers(headers);
  for (const [name, value] of Object.entries(own)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value)) {
      const message = `The header "${name}" cannot be sent: correct the option headers of the http tool.`;
      throw new ServiceError('ToolBadRequest', message, { retryable: false });
    }
    fields.set(name, value);
  }
  return { method, headers: fields, ...(body === undefined ? {} : { body }) };
}
