import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as pythonModule from '../../adapters/tools/python/python.ts';
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

  /** What JavaScript says: Python code can work its way to it. */
  const js = (body: string) =>
    `import js\nprint(js.setTimeout.constructor(${JSON.stringify(`try { ${body} } catch (error) { return error.message }`)})())`;

  /** A run whose earlier call has loaded modules of Node, by the one way that is left: they come between two calls. */
  async function runWithModules(...names: string[]) {
    const { call } = newRun({ interpreter });
    const load = names.map(
      (name) => `import('node:${name}').then((it) => (globalThis.${name} = it.default));`,
    );
    await call(js(load.join('')));
    await call(`x = 1`); // a turn of its event loop
    return call;
  }

  it('does not find what signals other processes, or loads code, even from JavaScript', async () => {
    const names = [
      'kill',
      '_kill',
      'getBuiltinModule',
      'dlopen',
      '_linkedBinding',
      '_debugProcess',
      'report',
    ];
    const { call } = newRun({ interpreter });
    expect(await call(js(`return ${JSON.stringify(names)}.filter((name) => name in process).join()`))).toBe(
      '\n',
    );
    expect(await call(js('return Object.keys(process.binding("process_methods"))'))).toBe('fs\n');
  });

  it('cannot use network, files and processes even with modules of Node', async () => {
    const call = await runWithModules('dgram', 'dns', 'net', 'os', 'child_process', 'fs', 'process');
    const tries = [
      ['return new dgram.Socket("udp4")', 'dgram.Socket is not a constructor'],
      ['return dns.promises.resolve4("x.example")', 'There is no network'],
      ['return new dns.Resolver().resolve4("x.example")', 'dns.Resolver is not a constructor'],
      ['return new net.Socket({ fd: 0 })', 'net.Socket is not a constructor'],
      ['return new globalThis.process.stderr.constructor({ fd: 0 })', 'There is no network'],
      ['return new globalThis.process.stderr.constructor().connect(1)', 'There is no network'],
      ['return globalThis.process.stderr._handle.connect({}, "/tmp/x")', 'There is no network'],
      ['return globalThis.process._getActiveHandles()', '_getActiveHandles is not a function'],
      ['return os.setPriority(1, 1)', 'os.setPriority is not a function'],
      ['return new child_process.ChildProcess().spawn({ file: "id", args: [] })', 'Access to this API'],
      ['return child_process.execSync("id")', 'Access to this API has been restricted'],
      ['return fs.readFileSync("/etc/passwd")', 'Access to this API has been restricted'],
      ['return globalThis.process.kill(1, 0)', 'globalThis.process.kill is not a function'],
    ];
    const said = await call(tries.map(([body = '']) => js(body)).join('\n'));
    const lines = said.trim().split('\n');
    expect(lines).toHaveLength(tries.length);
    expect(tries.filter(([, refusal = ''], n) => lines[n]?.includes(refusal) !== true)).toEqual([]);
  });

  /** Neither leaves the process. */
  const HARMLESS = new Set([
    'net.BlockList',
    'net.SocketAddress',
    'http.WebSocket', // connects by way of net
    'http.CloseEvent',
    'http.MessageEvent',
    'child_process.ChildProcess', // its spawn is refused
    ...[
      'BroadcastChannel',
      'MessageChannel',
      'MessagePort',
      'getEnvironmentData',
      'isMarkedAsUntransferable',
      'markAsUncloneable',
      'markAsUntransferable',
      'moveMessagePortToContext',
      'postMessageToThread', // there is no other
      'receiveMessageOnPort',
      'setEnvironmentData',
    ].map((name) => `worker_threads.${name}`),
  ]);

  it('finds nothing in modules of Node that is not refused, whether it is meant to be public or not', async () => {
    const modules = [
      'net',
      'dgram',
      'dns',
      'tls',
      'http',
      'https',
      'http2',
      'inspector',
      'child_process',
      'worker_threads',
    ];
    const call = await runWithModules(...modules);
    const allowed = (module: string) =>
      js(`
        const isRefusal = ({ code, message }) =>
          code === 'ERR_ACCESS_DENIED' || message === 'There is no network' || / is not a constructor$/.test(message);
        const isAllowed = (it) => {
          const isClass = it.toString().startsWith('class') || it === ${module}.Worker;
          try { isClass ? new it('1', { eval: true }) : it('id') } catch (error) { return !isRefusal(error) }
          return true;
        };
        return Object.getOwnPropertyNames(${module})
          .filter((name) => typeof ${module}[name] === 'function' && isAllowed(${module}[name]))
          .map((name) => '${module}.' + name)
          .join(' ');
      `);
    const found = (await call(modules.map(allowed).join('\n'))).split(/\s+/u);
    expect(found.filter((name) => name !== '' && !HARMLESS.has(name))).toEqual([]);
    expect(found).toContain('worker_threads.MessageChannel');
  });

  it('cannot take more memory by files and pipes than it may, and gets back that of deleted files', async () => {
    const { call } = newRun({ interpreter, memoryMb: 64 });
    const full = 'No space left on device';
    await call('import os\nb = b"x" * 5_000_000');
    expect(await call('for n in range(60): open(f"/tmp/{n}", "wb").write(b)')).toContain(full);
    expect(await call('for name in os.listdir("/tmp"): os.remove(f"/tmp/{name}")\nprint(len(b))')).toBe(
      '5000000\n',
    );
    expect(
      await call('for n in range(60):\n  open("/tmp/x", "wb").write(b)\n  os.remove("/tmp/x")\nprint(n)'),
    ).toBe('59\n');
    expect(await call('with open("/tmp/one", "wb") as f:\n  for n in range(60): f.write(b)')).toContain(full);
    expect(
      await call('os.remove("/tmp/one")\nr, w = os.pipe()\nfor n in range(60): os.write(w, b)'),
    ).toContain(full);
  });

  it('cannot fill the memory of the worker by a line without end: the call ends, and the next one works', async () => {
    const call = await runWithModules('fs');
    const endless =
      'for (;;) try { fs.writeSync(1, "x".repeat(1 << 16)) } catch (e) { if (e.code !== "EAGAIN") throw e }';
    expect(await call(js(endless))).toMatch(/^Python ended/u);
    expect(await call('print(x)')).toBe('1\n');
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
    const fresh: typeof pythonModule = await import('../../adapters/tools/python/python.ts');
    return fresh.python().run('print(1)' as never, toolContext());
  }

  it.each([
    ['XDG_CACHE_HOME', cache, cache],
    ['XDG_CACHE_HOME', '', join(cache, '.cache')],
    ['XDG_CACHE_HOME', 'relative', join(cache, '.cache')],
  ])('is built in the cache of the user when it is first needed: %s=%s', async (name, value, folder) => {
    vi.stubEnv('HOME', cache);
    vi.stubEnv(name, value);
    expect(await printOne()).toBe('1\n');
    expect(readdirSync(join(folder, 'reloop'))).toEqual([expect.stringMatching(/^pyodide-.*\.image$/u)]);
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
