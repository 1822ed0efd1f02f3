import { request as send } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodec } from '../../../../features/encryption/codec.ts';
import { createKeyring } from '../../../../features/encryption/keys.ts';
import { type CodecServer, serveCodec } from '../../../../features/encryption/serve-codec.ts';

const ORIGIN = 'http://localhost:8233';
const TOKEN = 'a-token';
const key = Buffer.alloc(32, 'k').toString('base64');
const codec = createCodec(createKeyring({ keys: [{ id: 'known-id', key }] }));
const other = createCodec(createKeyring({ keys: [{ id: 'other-id', key }] }));
const problems: string[] = [];
let server: CodecServer;
beforeAll(async () => {
  const onProblem = (text: string) => void problems.push(text);
  server = await serveCodec({
    codec,
    token: TOKEN,
    origins: [ORIGIN],
    host: '127.0.0.1',
    port: 0,
    onProblem,
  });
});
afterAll(() => server.close());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const clear = { metadata: { encoding: base64('json/plain') }, data: base64('"planted"') };
const bearer = { authorization: `Bearer ${TOKEN}` };

interface Answer {
  status: number;
  headers: { [name: string]: unknown };
  body: string;
}

/** As a browser or a program sends it; fetch would not send an origin. */
function ask(path: string, body: unknown, headers: object = bearer, method = 'POST'): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = send({ host: '127.0.0.1', port: server.port, path, method, headers: { ...headers } });
    asked.on('response', (response) => {
      let said = '';
      response.setEncoding('utf8').on('data', (part: string) => (said += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: said }),
      );
    });
    asked.on('error', reject);
    asked.end(text);
  });
}

interface Coded {
  payloads: { metadata: { [name: string]: string }; data: string }[];
}

test('encodes and decodes payloads in the JSON of Temporal', async () => {
  const encoded = await ask('/encode', { payloads: [clear] });
  expect(encoded.status).toBe(200);
  const { payloads } = JSON.parse(encoded.body) as Coded;
  expect(payloads[0]?.metadata['encoding']).toBe(base64('binary/encrypted'));
  expect(encoded.body).not.toContain(clear.data);
  const decoded = await ask('/decode', { payloads: [...payloads, clear] });
  expect(JSON.parse(decoded.body)).toEqual({ payloads: [clear, clear] });
});

test('takes the token from the path, because the Web UI sends no other', async () => {
  expect((await ask(`/${TOKEN}/encode`, { payloads: [clear] }, {})).status).toBe(200);
});

describe('requests that are refused', () => {
  test.each<[string, number, () => Promise<Answer>]>([
    ['without a token', 401, () => ask('/decode', { payloads: [] }, {})],
    ['with another token', 401, () => ask('/decode', { payloads: [] }, { authorization: 'Bearer b-token' })],
    ['with another token in the path', 401, () => ask('/b-token/decode', { payloads: [] }, {})],
    ['with more in the path', 401, () => ask(`/x/${TOKEN}/decode`, { payloads: [] }, bearer)],
    [
      'of another page',
      403,
      () => ask('/decode', { payloads: [] }, { ...bearer, origin: 'http://evil.test' }),
    ],
    [
      'of another page, before they are sent',
      403,
      () => ask('/decode', '', { origin: 'http://evil.test' }, 'OPTIONS'),
    ],
    ['for another path', 404, () => ask('/keys', {})],
    ['by GET', 405, () => ask('/decode', '', bearer, 'GET')],
    ['that are not JSON', 400, () => ask('/decode', '{')],
    ['of another shape', 400, () => ask('/decode', { payloads: 'x' })],
    ['of nothing', 400, () => ask('/decode', 'null')],
    ['that are too large', 413, () => ask('/decode', 'x'.repeat(16_000_001))],
  ])('%s', async (_, status, refused) => {
    const lost = (error: unknown): Answer => ({ status: 0, body: String(error), headers: {} });
    const answer = await refused().catch(lost);
    // The server may close the connection while a large body is still being sent.
    const isClosed = status === 413 && /EPIPE|ECONNRESET/u.test(answer.body);
    expect(isClosed ? status : answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('say nothing about keys, which the log names', async () => {
    const metadata = { encoding: base64('binary/encrypted'), 'encryption-key-id': base64('lost-id') };
    const missing = await ask('/decode', { payloads: [{ metadata, data: base64('x') }] });
    const [sealed] = await other.encode([{ metadata: {}, data: Buffer.from('x') }]);
    const data = Buffer.from(sealed?.data ?? []).toString('base64');
    const damaged = {
      metadata: { ...metadata, 'encryption-key-id': base64('known-id') },
      data: `AAAA${data}`,
    };
    const changed = await ask('/decode', { payloads: [damaged] });
    for (const { status, body } of [missing, changed]) {
      expect(status).toBe(400);
      expect(body).toBe('{"error":"the payloads cannot be decoded"}');
    }
    expect(problems.join('\n')).toContain('"lost-id"');
    expect(problems.join('\n')).not.toContain(key);
  });
});

test('answers a page of the Web UI, and names no other', async () => {
  const wanted = { origin: ORIGIN, 'access-control-request-method': 'POST' };
  const before = await ask('/decode', '', wanted, 'OPTIONS');
  expect(before.status).toBe(204);
  expect(before.headers).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type, x-namespace',
    vary: 'origin',
  });
  const { headers } = await ask('/decode', { payloads: [] }, { ...bearer, origin: ORIGIN });
  expect(headers['access-control-allow-origin']).toBe(ORIGIN);
});
