import { describe, expect, it } from 'vitest';
import { type HttpOptions, http } from '../../tools/http/http.ts';
import { type LoopbackAnswer, deadHost, failureOf, loopback } from '../support/loopback.ts';
import { toolContext } from '../support/tool-context.ts';

async function send(options: HttpOptions, input: { [field: string]: unknown }) {
  const tool = http(options);
  return tool.run(tool.parseInput(input as never) as never, toolContext({ idempotencyKey: 'key-1' }));
}

describe('what a request may change', () => {
  it.each<[methods: HttpOptions['methods'], effects: string]>([
    [undefined, 'once'],
    [['GET'], 'none'],
    [['GET', 'PUT', 'DELETE'], 'idempotent'],
    [['PATCH'], 'once'],
  ])('with the methods %j makes the tool one of effects %s', (methods, effects) => {
    expect(http({ allow: ['a.example'], ...(methods && { methods }) })).toMatchObject({ effects });
    expect(http({ allow: ['a.example'], ...(methods && { methods }), effects: 'idempotent' })).toMatchObject({
      effects: 'idempotent',
    });
  });

  it('is sent only while the call is still ours, which a request that reads need not be', async () => {
    const { url, host, requests } = await loopback({});
    const tool = http({ allow: [host] });
    const context = toolContext({ commit: () => Promise.reject(new Error('not ours')) });
    const ask = (method: string) => tool.run(tool.parseInput({ url, method }) as never, context);
    await expect(ask('POST')).rejects.toThrow('not ours');
    expect(requests).toEqual([]);
    expect(await ask('GET')).toBe('HTTP 200 OK');
  });

  it.each<[what: string, method: string, answer: LoopbackAnswer | undefined, notDone: boolean]>([
    ['nobody listens', 'POST', undefined, true],
    ['the server has no time', 'POST', { status: 429 }, true],
    ['the server fails', 'POST', { status: 500 }, false],
    ['the server fails at a GET', 'GET', { status: 500 }, true],
    ['the connection breaks', 'POST', { body: 'ha', fault: 'break' }, false],
    ['the connection breaks at a GET', 'GET', { body: 'ha', fault: 'break' }, true],
  ])('is known not to have been done or not when %s', async (_what, method, answer, notDone) => {
    const host = answer === undefined ? await deadHost() : (await loopback(answer)).host;
    expect(await failureOf(send({ allow: [host] }, { url: `http://${host}/`, method }))).toMatchObject({
      notDone,
    });
  });

  it('may have been done by the server that redirected it, wherever that leads', async () => {
    const dead = await deadHost();
    const { url, host } = await loopback({ status: 303, headers: { location: `http://${dead}/` } });
    expect(await failureOf(send({ allow: [host, dead] }, { url, method: 'POST' }))).toMatchObject({
      name: 'ToolConnectionError',
      notDone: false,
    });
  });

  it.each<[idempotencyHeader: string | false, headers: object]>([
    ['X-Request-Key', { 'x-request-key': 'key-1', 'idempotency-key': undefined }],
    [false, { 'idempotency-key': undefined }],
  ])('carries its key in the header %s', async (idempotencyHeader, headers) => {
    const { url, host, requests } = await loopback({});
    await send({ allow: [host], idempotencyHeader }, { url, method: 'POST', body: 'x' });
    const sent = requests[0]?.headers ?? {};
    expect(Object.fromEntries(Object.keys(headers).map((name) => [name, sent[name]]))).toEqual(headers);
  });
});
