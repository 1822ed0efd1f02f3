import { z } from 'zod/v4';
import { limits } from '../../../agent/values/limits.ts';
import { retryAfter } from '../../../agent/values/retry-after.ts';
import { secretHeaders, withoutWhole } from '../../../agent/text/secrets.ts';
import { shownUrl } from '../../../agent/text/shown-url.ts';
import { type AllowList, allowList } from './allow.ts';
import { ServiceError, isPassing, startOf, typeOfStatus } from './error.ts';
import { type HttpReply, exchange } from './exchange.ts';
import {
  type HttpRequest,
  type HeaderFields,
  type Method,
  httpRequest,
  initOf,
  redirected,
} from './http-request.ts';
import { type Tool, type ToolContext, type ToolOptions, ToolError, defineTool } from '../tool.ts';
import { checkWhole } from '../whole-number.ts';
import { madeBy } from '../same-tool.ts';

export interface HttpOptions extends Partial<ToolOptions> {
  /** The hosts that may be asked, also by a redirect: `api.example.com`, `localhost:8080`, `*.example.com`. */
  allow: readonly string[];
  /**
   * Default GET and POST. They are the tool's `effects`: 'once' with POST or PATCH, otherwise 'idempotent' with PUT or DELETE,
   * otherwise 'none'.
   */
  methods?: readonly [Method, ...Method[]];
  /** The header that takes the call's idempotency key, of every method but GET; false for none. Default 'Idempotency-Key'. */
  idempotencyHeader?: string | false;
  /**
   * Sent to any of these hosts, but only by https, to this machine, or to a port that `allow` names. A redirect to another host
   * drops them; a function is asked again, with the new URL. The model does not see them. Where a server repeats a secret one (authorization, cookie, a name that ends in
   * key, token, secret or password), the answer has `***` in its place.
   */
  headers?: HeaderFields | ((url: URL, context: ToolContext) => HeaderFields);
  /** Names of headers that the model may set. Default accept, accept-language, content-type. */
  allowHeaders?: readonly string[];
  /** More of a body is not read: bytes, at most 16,000,000. Default 1,000,000. */
  maxBytes?: number;
}

const MAX_REDIRECTS = 5;
const SHOWN_CHARS = 1000;

/** Lets the model send requests to the hosts that are listed, and to no other. */
export function http({
  allow,
  methods = ['GET', 'POST'],
  headers = {},
  allowHeaders = ['accept', 'accept-language', 'content-type'],
  maxBytes = 1_000_000,
  idempotencyHeader = 'Idempotency-Key',
  ...options
}: HttpOptions): Tool {
  const hosts = allowList(allow);
  checkWhole('http: maxBytes', maxBytes, { unit: 'bytes', min: 1, max: limits.responseBytes });
  const headersFor = typeof headers === 'function' ? headers : () => headers;
  const keyHeader = idempotencyHeader === false ? undefined : idempotencyHeader.toLowerCase();
  const names = new Set(allowHeaders.map((name) => name.toLowerCase()));
  const input = z.object({
    url: z.string().describe('The full address, with its query.'),
    method: z.enum(methods).default(methods[0]),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
      .nullish()
      .describe(
        `For ${methods.filter((method) => method !== 'GET').join(', ') || 'no method'}: a text, or JSON.`,
      ),
    headers: z.record(z.string(), z.string()).nullish(),
  });

  const tool = defineTool({
    name: 'http',
    description: `Sends an HTTP request (${methods.join(', ')}) and gives the answer's text. Hosts: ${allow.join(', ')}.`,
    timeout: '30s',
    effects: effectsOf(methods),
    ...options,
    input,
    async run(given, context) {
      const key = keyHeader === undefined ? undefined : { header: keyHeader, value: context.idempotencyKey };
      const first = httpRequest(given, { names, key });
      const secrets: string[] = [];
      const own = (url: URL, isFirst: boolean) => {
        const fields =
          hosts.trusts(url) && (isFirst || typeof headers === 'function') ? headersFor(url, context) : {};
        secrets.push(...secretHeaders(Object.entries(fields)), ...passwordsIn(fields));
        return fields;
      };
      const hide = (text: string, cut = false) => withoutWhole(text, secrets, { cut });
      const { signal, commit } = context;
      const route = { hosts, allow, own, hide, maxBytes, keyHeader, signal, commit };
      return markReadOnly(first.method === 'GET', async () => {
        const answer = await follow(first, route);
        return report(
          { ...answer, statusText: hide(answer.statusText), text: hide(answer.text, answer.cut) },
          given.url,
        );
      });
    },
  });
  const given = { allow, methods, headers, allowHeaders, maxBytes, idempotencyHeader, ...options };
  return madeBy(http, given, tool);
}

interface Route {
  hosts: AllowList;
  /** The option `allow`, for messages. */
  allow: readonly string[];
  /** The config's headers. `isFirst`: the URL is of the origin that the model asked for. */
  own(url: URL, isFirst: boolean): HeaderFields;
  /** Removes the values of these headers from a server's text. */
  hide(text: string): string;
  maxBytes: number;
  keyHeader: string | undefined;
  signal: AbortSignal;
  /** Right before a request that may change something. */
  commit(): Promise<void>;
}

/** A server may repeat the credentials. */
function passwordsIn(fields: HeaderFields): string[] {
  return Object.values(fields).flatMap((value) => {
    const [, token] = /^basic +(\S+)$/iu.exec(value) ?? [];
    const said = token === undefined ? '' : Buffer.from(token, 'base64').toString();
    return secretHeaders([['password', said.slice(said.indexOf(':') + 1)]]);
  });
}

/** Effects of the strongest method that the model may use. */
function effectsOf(methods: readonly Method[]): 'none' | 'idempotent' | 'once' {
  if (methods.includes('POST') || methods.includes('PATCH')) return 'once';
  return methods.every((method) => method === 'GET') ? 'none' : 'idempotent';
}

/** Whatever fails of a request that only reads, nothing has been done. */
async function markReadOnly<T>(reads: boolean, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!reads || !(error instanceof Error) || error instanceof ToolError) throw error;
    if (!(error instanceof ServiceError)) throw Object.assign(error, { notDone: true });
    const { name, message, retryable, retryAfterMs } = error;
    throw new ServiceError(name, message, { retryable, retryAfterMs, notDone: true });
  }
}

/** The answer after all redirects. Each is checked as a request of the model. */
async function follow(first: HttpRequest, route: Route): Promise<HttpReply> {
  let asked = first;
  let url = permitted(first.url, undefined, route);
  const { origin } = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { maxBytes, signal, keyHeader } = route;
    const init = initOf(asked, route.own(url, url.origin === origin));
    if (asked.method !== 'GET') await route.commit();
    const answer = await exchange(url, init, { maxBytes, signal, whom: url.host, isFirst: redirects === 0 });
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.status);
    const location = isRedirect ? answer.headers.get('location') : null;
    if (location === null) return answer;
    const next = permitted(location, url, route);
    asked = redirected(asked, answer.status, { sameOrigin: next.origin === url.origin, keyHeader });
    url = next;
  }
  throw new ToolError(`${shownUrl(first.url)} redirects more than ${MAX_REDIRECTS} times.`);
}

function permitted(address: string, from: URL | undefined, { hosts, allow, hide }: Route): URL {
  const url = URL.canParse(address, from?.href) ? new URL(address, from?.href) : undefined;
  const shown = shownUrl(url?.href ?? '');
  const where = from === undefined ? shown : hide(`${shownUrl(from.href)} redirects to ${shown}, which`);
  if (url !== undefined && hosts.allows(url)) return url;
  throw new ToolError(
    `${where} ${url === undefined ? 'is not an address' : 'may not be asked'}. ` +
      `Give an http or https address without a user name, of one of these hosts: ${allow.join(', ')}.`,
  );
}

/**
 * Text for the model. Throws ToolError for an error that the model can correct, and ServiceError for one that may pass.
 */
function report(answer: HttpReply, url: string): string {
  const { status, headers } = answer;
  const line = `HTTP ${status} ${answer.statusText}`.trimEnd();
  if (isPassing(status)) {
    const said = startOf(answer.text, SHOWN_CHARS);
    throw new ServiceError(typeOfStatus(status), `${shownUrl(url)} answered ${line}: ${said}`, {
      retryable: true,
      retryAfterMs: retryAfter(headers, Date.now()),
      notDone: status === 429,
    });
  }
  if (status >= 400) throw new ToolError(`${line}\n\n${startOf(answer.text, SHOWN_CHARS)}`.trimEnd());
  return `${line}\n\n${bodyOf(answer)}`.trimEnd();
}

function bodyOf({ text, cut, headers }: HttpReply): string {
  if (text.includes('\0')) return `(no text: ${headers.get('content-type') ?? 'of unknown type'})`;
  return cut ? `${text}\n[the rest was not read: the answer is too long]` : text;
}
