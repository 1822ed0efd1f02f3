import { ServiceError } from './error.ts';
import { ToolError } from '../tool.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HeaderFields {
  readonly [name: string]: string;
}

/** One request of the model's, before the config's headers are added. */
export interface Asked {
  url: string;
  method: Method;
  headers: HeaderFields;
  body?: string;
}

/** The tool's input. */
export interface Given {
  url: string;
  method: Method;
  body?: string | object | null | undefined;
  headers?: HeaderFields | null | undefined;
}

/** What a request may bring beside what the model asks for. */
export interface AskedOptions {
  /** Headers that the model may set, in lower case. */
  names: ReadonlySet<string>;
  /** The call's key, and the header that takes it; undefined: none does. */
  key: { header: string; value: string } | undefined;
}

/** Throws ToolError for a request that may not or cannot be sent, whatever its address. */
export function askedOf({ url, method, body, headers }: Given, { names, key }: AskedOptions): Asked {
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
  // The same over retries and crashes of this call: a server that knows it does not do twice what is asked twice.
  const always = { ...(key === undefined ? {} : { [key.header]: key.value }), ...named };
  if (isEmpty) return { url, method, headers: always };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = isJson(text) ? 'application/json' : 'text/plain;charset=UTF-8';
  return { url, method, headers: { 'content-type': type, ...always }, body: text };
}

/** As browsers do: 307 and 308 ask the same again, the others ask by GET; credentials stay with their host. */
export function redirected(
  { url, method, headers, body }: Asked,
  status: number,
  { sameOrigin, keyHeader = '' }: { sameOrigin: boolean; keyHeader: string | undefined },
): Asked {
  const { authorization: _a, cookie: _c, ...harmless } = headers;
  const kept = sameOrigin ? headers : harmless;
  const same = { url, method, headers: kept, ...(body === undefined ? {} : { body }) };
  if (status === 307 || status === 308) return same;
  const { 'content-type': _t, [keyHeader]: _k, ...bodiless } = kept;
  return { url, method: 'GET', headers: bodiless };
}

/** The config's headers win. Throws ServiceError for one that cannot be sent: fetch's own error would show its value. */
export function initOf({ method, headers, body }: Asked, own: HeaderFields): RequestInit {
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
