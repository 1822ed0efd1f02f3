import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { fetchWithoutTimeout } from '../../../../adapters/models/index.ts';
import { withTimeLimit } from '../../../../adapters/net/time-limit.ts';
import { http } from '../../../../adapters/tools/http/http.ts';
import { mcp } from '../../../../adapters/tools/index.ts';
import { dispatched } from '../../../support/dispatched.ts';
import { loopback } from '../../../support/loopback.ts';
import { mcpHttpServer } from '../../../support/mcp-http.ts';
import { modelRequest, scriptedOpenAI } from '../../../support/model-calls.ts';
import { toolContext } from '../../../support/tool-context.ts';

const LIMITS = { headersTimeout: 0, bodyTimeout: 0 };

describe('the time that Node gives a response by itself does not count for', () => {
  test.each([true, false])(
    'a model, with stream: %s; a dispatcher that the program has set is used',
    async (stream) => {
      const seen = dispatched();
      const { ask } = await scriptedOpenAI(['hi']);
      expect((await ask(modelRequest({ stream }))).text).toBe('hi');
      expect(seen).toMatchObject([LIMITS]);
    },
  );

  test('http()', async () => {
    const { url, host } = await loopback({ body: 'hi' });
    const seen = dispatched();
    const tool = http({ allow: [host] });
    await tool.run(tool.parseInput({ url }) as never, toolContext());
    expect(seen).toMatchObject([LIMITS]);
  });

  test.each([true, false])('a tool of an MCP server, which answers by JSON: %s', async (json) => {
    const { url } = await mcpHttpServer({ json });
    const seen = dispatched();
    const [tool] = await mcp({ url }, { only: ['add'] });
    await tool?.run(tool.parseInput({ a: 1, b: 2 }) as never, toolContext());
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toMatchObject(seen.map(() => LIMITS));
  });

  test('a package that is given fetchWithoutTimeout', async () => {
    const { url } = await loopback({ body: 'hi' });
    const seen = dispatched();
    expect(await (await fetchWithoutTimeout(url)).text()).toBe('hi');
    expect(seen).toMatchObject([LIMITS]);
  });
});

describe('a time limit', () => {
  /** Never ends by itself. */
  const waiting = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  test('is kept where garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const ends = Array.from({ length: 20 }, () =>
      withTimeLimit(200, new AbortController().signal, waiting).catch((error: Error) => error.name),
    );
    for (let n = 0; n < 4; n++) {
      await sleep(20);
      collect();
    }
    expect(new Set(await Promise.all(ends))).toEqual(new Set(['TimeoutError']));
  });

  test.each([true, false])(
    'ends with the signal around it, also one that has come before: %s',
    async (is) => {
      const outer = new AbortController();
      if (is) outer.abort(new Error('left'));
      const end = withTimeLimit(60_000, outer.signal, async (signal) => {
        signal.throwIfAborted();
        return waiting(signal);
      });
      outer.abort(new Error('left'));
      await expect(end).rejects.toThrow('left');
    },
  );

  test('gives the result of the work', async () => {
    expect(await withTimeLimit(60_000, undefined, async () => 7)).toBe(7);
  });
});

test('dozens of calls under one signal bring no warning of a leak', async () => {
  const warned: string[] = [];
  const note = ({ name }: Error) => void warned.push(name);
  process.on('warning', note);
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 50 }, () => withTimeLimit(60_000, signal, () => sleep(1))));
  process.off('warning', note);
  expect(warned).toEqual([]);
});
