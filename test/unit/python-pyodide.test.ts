import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as pythonModule from '../../tools/python/python.ts';
import { newRun } from '../support/python-run.ts';
import { toolContext } from '../support/tool-context.ts';

describe('code on Pyodide', { timeout: 60_000 }, () => {
  const interpreter = 'pyodide';

  it('sees neither files nor network of the machine', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server's
    const { call } = newRun({ interpreter });
    expect(await call('open("/etc/passwd")')).toMatch(/No such file/u);
    expect(
      await call(`import urllib.request\nurllib.request.urlopen("http://127.0.0.1:${port}").read()`),
    ).not.toBe('');
    expect(await call('import js\njs.fetch')).toBe('fetch');
    expect(connections).toBe(0);
    server.close();
  });

  it('cannot use files and processes even from JavaScript', async () => {
    const { call } = newRun({ interpreter });
    await call('import js\nnode = js.setTimeout.constructor("return process")()');
    expect(await call('node.getBuiltinModule("fs").readFileSync("/etc/passwd")')).toMatch(
      /access .*restricted/iu,
    );
    expect(await call('node.getBuiltinModule("child_process").execSync("id")')).toMatch(
      /access .*restricted/iu,
    );
  });

  it('survives code that overflows the stack of its host', async () => {
    const { call } = newRun({ interpreter });
    await call('x = 1');
    expect(await call('y = []\nfor _ in range(100000): y = [y]\nstr(y)')).toMatch(/^Python ended/u);
    expect(await call('print(x)')).toBe('1\n');
  });
});

describe('the image that Pyodide starts from', { timeout: 60_000 }, () => {
  const cache = mkdtempSync(join(tmpdir(), 'reloop-test-'));
  beforeEach(() => void vi.resetModules());
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true, force: true });
  });

  async function printOne() {
    const fresh: typeof pythonModule = await import('../../tools/python/python.ts');
    return fresh.python().run('print(1)' as never, toolContext());
  }

  it('is built in the cache of the user when it is first needed', async () => {
    vi.stubEnv('XDG_CACHE_HOME', cache);
    expect(await printOne()).toBe('1\n');
    expect(readdirSync(join(cache, 'reloop'))).toEqual([expect.stringMatching(/^pyodide-.*\.image$/u)]);
  });

  it('is passed over when it is broken', async () => {
    vi.stubEnv('XDG_CACHE_HOME', cache);
    const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string }; // every package has one
    mkdirSync(join(cache, 'reloop'), { recursive: true });
    writeFileSync(join(cache, 'reloop', `pyodide-${version}.image`), 'not an image');
    expect(await printOne()).toBe('1\n');
  });

  it('is gone without where there is no place for it', async () => {
    vi.stubEnv('XDG_CACHE_HOME', '/dev/null');
    expect(await printOne()).toBe('1\n');
  });
});
