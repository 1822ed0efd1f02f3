import { timingSafeEqual, createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import messages from '@temporalio/proto';

const { Payloads } = messages.temporal.api.common.v1;

export interface CodecServerOptions {
  codec: PayloadCodec;
  host: string;
  /** 0: any port. */
  port: number;
  /** Each request names it: `Authorization: Bearer TOKEN`, or the path `/TOKEN/decode`, since the Web UI sends tokens of a login only. */
  token: string;
  /** Origins of Web UIs, such as `http://localhost:8233`. A request from another page is refused. */
  origins: readonly string[];
  /** Called with the reason of a refused request, which the response leaves out. */
  onProblem(text: string): void;
}

export interface CodecServer {
  port: number;
  close(): Promise<void>;
}

/** The largest payload of Temporal has 2 MB; base64 makes a third more of it, and the Web UI sends several at once. */
const MAX_BODY_BYTES = 16_000_000;

class Refused extends Error {
  readonly status: number;
  /** Text for the log; the response has the message. */
  readonly reason: string | undefined;

  constructor(status: number, message: string, reason?: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/**
 * Serves `POST /encode` and `POST /decode` in Temporal's protocol for codec servers. Responses to bad requests say nothing about keys. Throws
 * if the port is taken.
 */
export async function serveCodec(options: CodecServerOptions): Promise<CodecServer> {
  const server = createServer((request, response) => {
    respond(request, response, options).catch((error: unknown) => {
      const { status, message, reason } = error instanceof Refused ? error : new Refused(400, 'bad request');
      if (reason !== undefined) options.onProblem(reason);
      // A body that is too large is not read to its end.
      send(response, status, { error: message }, { connection: 'close' });
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  return {
    port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { codec, token, origins }: CodecServerOptions,
): Promise<void> {
  const { method, headers } = request;
  const { origin, authorization } = headers;
  if (origin !== undefined) {
    if (!origins.includes(origin)) {
      throw new Refused(403, 'this page may not ask', `${origin} may not ask: name it with --origin`);
    }
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'origin');
  }
  const [name = '', ofPath = '', ...rest] = pathOf(request).toReversed();
  if (method === 'OPTIONS') return send(response, 204, undefined, PREFLIGHT);
  const given = /^Bearer (.*)$/u.exec(authorization ?? '')?.[1] ?? ofPath;
  if (!isSame(given, token) || rest.length > 0) throw new Refused(401, 'the token is missing or wrong');
  if (name !== 'encode' && name !== 'decode') throw new Refused(404, 'there are /encode and /decode');
  if (method !== 'POST') throw new Refused(405, 'use POST');
  const payloads = payloadsOf(await bodyOf(request));
  const coded = await codec[name](payloads).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refused(400, `the payloads cannot be ${name}d`, reason);
  });
  send(response, 200, Payloads.toObject(Payloads.create({ payloads: coded }), { bytes: String, json: true }));
}

const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, content-type, x-namespace',
  'access-control-max-age': '600',
};

/** The parts of the path; the last one is the operation. */
function pathOf({ url = '' }: IncomingMessage): string[] {
  return url
    .replace(/\?.*$/su, '')
    .split('/')
    .filter((part) => part !== '');
}

function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, `a body has at most ${MAX_BODY_BYTES} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    throw new Refused(400, 'the body is not JSON');
  }
}

function payloadsOf(body: unknown): Payload[] {
  try {
    const { payloads } = Payloads.fromObject(body as { [field: string]: unknown }); // throws for another shape
    return payloads.map(({ metadata, data }) => ({
      metadata: metadata ?? {},
      data: data ?? new Uint8Array(),
    }));
  } catch {
    throw new Refused(400, 'the body is not { "payloads": [{ "metadata", "data" }] } with base64 values');
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: { [name: string]: string } = {},
): void {
  response.writeHead(status, {
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
