import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
// Before undici: it says why.
import { patientDispatcher } from './patient-dispatcher.ts';
import { type Dispatcher, request } from 'undici';
import { fieldOf } from '../../agent/values.ts';
import { firstBytes } from './bounded-body.ts';

type Fetch = typeof fetch;

const DECODERS: { [encoding: string]: () => NodeJS.ReadWriteStream & Readable } = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * `fetch` for the client's requests, by the same dispatcher and connections but without the web's streams: it takes half of its
 * processor time. What it answers has the fields of a Response that are read of one; its `body` is a stream of Node's. An
 * error's is a Response with the first bytes of the body. Where there is no dispatcher, and for redirects, it is `fetch` itself.
 */
export async function lightFetch(...[input, init = {}]: Parameters<Fetch>): Promise<Response> {
  const { method = 'GET', headers, body, signal } = init;
  const dispatcher = patientDispatcher();
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (dispatcher === undefined || !isPlain || typeof input !== 'string') return fetchBounded(input, init);
  const answer = await request(input, {
    dispatcher,
    method: method as Dispatcher.HttpMethod, // the client's own
    headers: new Headers(headers),
    body,
    signal: signal ?? null,
  }).catch(unlessForeign);
  if (answer === undefined) return fetchBounded(input, init);
  const { statusCode: status } = answer;
  if (status >= 300 && status < 400) {
    await answer.body.dump();
    return fetchBounded(input, init);
  }
  const answered = new Headers();
  for (const [name, values] of Object.entries(answer.headers))
    for (const value of [values ?? []].flat()) answered.append(name, value);
  const stream = decoded(answer.body, answered.get('content-encoding'));
  if (status >= 300) return new Response(await firstBytes(stream), { status, headers: answered });
  // What readReply and the client read of it; anybody who reads more would see that it is not there.
  return { ok: true, status, url: input, headers: answered, body: stream } as unknown as Response;
}

/** undefined for a dispatcher of another version, which does not take what this one hands it: nothing was sent. */
function unlessForeign(error: unknown): undefined {
  if (fieldOf(error, 'code') === 'UND_ERR_INVALID_ARG') return undefined;
  throw error;
}

/** The body as a text: of bytes, fetch gives the buffer away, and then has nothing to send to where it is redirected. */
async function fetchBounded(input: Parameters<Fetch>[0], init: RequestInit): Promise<Response> {
  const { body: sent } = init;
  const text = sent instanceof Uint8Array ? { body: new TextDecoder().decode(sent) } : {};
  const dispatcher = patientDispatcher();
  // Node's types of a dispatcher and the package's are of different versions.
  const patient: object = dispatcher === undefined ? {} : { dispatcher };
  const response = await fetch(input, { ...init, ...text, ...patient });
  const { ok, body, status, headers } = response;
  // The web's type of a stream says nothing of its pieces; those of a body are bytes.
  const pieces = body as AsyncIterable<Uint8Array> | null;
  return ok || pieces === null ? response : new Response(await firstBytes(pieces), { status, headers });
}

function decoded(body: Readable, encoding: string | null): Readable {
  const decoder = DECODERS[encoding?.trim().toLowerCase() ?? ''];
  if (decoder === undefined) return body;
  const plain = decoder();
  body.on('error', (error) => plain.destroy(error));
  plain.on('close', () => body.destroy());
  return body.pipe(plain);
}
