import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mcp } from '../../adapters/tools/index.ts';
import { freePort } from '../support/dev-server.ts';
import { fetchMcpPython } from '../support/python-venv.ts';
import { startRig, waitOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';
import { toolContext } from '../support/tool-context.ts';

/** Servers of Python's `mcp` 2.3.0 and `fastmcp` 4.1.6 whose tool asks by `ctx.elicit()`, which both refuse by 2026-07-28. */
const PROGRAM = 'test/fixtures/programs/mcp-elicits.py';
const OLDER = { protocolVersion: '2025-11-25' } as const;

const fetched = await fetchMcpPython();
const python = 'python' in fetched ? fetched.python : '';
const missing = 'missing' in fetched ? fetched.missing : '';
const title = missing === '' ? '' : ` (skipped: no packages of Python here: ${missing})`;

describe.skipIf(missing !== '')(
  `a server in Python whose tool asks in the course of its call${title}`,
  () => {
    const urls = new Map<string, string>();
    const servers: ChildProcess[] = [];
    beforeAll(async () => {
      for (const name of ['mcp', 'fastmcp']) {
        const port = await freePort();
        servers.push(spawn(python, [PROGRAM, name, String(port)], { stdio: 'ignore' }));
        urls.set(name, `http://127.0.0.1:${port}/mcp`);
      }
      for (const url of urls.values()) await vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 200 });
    }, 90_000);
    afterAll(async () => {
      const ended = servers.map((server) => once(server, 'close'));
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(ended);
    });

    const overHttp = (name: string) => ({ url: urls.get(name) ?? '' });
    const overStdio = (name: string) => ({ command: python, args: [PROGRAM, name] });

    test.each([
      ['mcp', 'HTTP', overHttp],
      ['mcp', 'stdio', overStdio],
      ['fastmcp', 'HTTP', overHttp],
      ['fastmcp', 'stdio', overStdio],
    ])('is answered by a person: %s over %s, by 2025-11-25', async (name, _way, server) => {
      const tools = await mcp(server(name), OLDER);
      const agent = { name: 'a', model: script(act('book', '{}'), answer('done')), tools };
      const rig = await startRig({ agents: [agent] });
      onTestFinished(() => rig.stop());
      const run = await rig.client.start('a', 'Book rooms.');
      expect(await waitOf(run)).toMatchObject({ reason: 'deferred', note: { question: 'How many?' } });
      await run.decide('1.1', { type: 'resolve', output: { count: 2 } });
      expect((await run.result()).intermediateSteps).toMatchObject([{ observation: 'booked 2' }]);
    });

    test.each([
      [
        'mcp',
        { name: 'ToolBadResponse', message: expect.stringContaining('see the option protocolVersion') },
      ],
      ['fastmcp', { name: 'ToolError', message: expect.stringContaining('unavailable on 2026-07-28') }],
    ])('fails without the option, and says why: %s', async (name, error) => {
      const [tool] = await mcp(overHttp(name));
      const call = async () => tool?.run({} as never, toolContext());
      await expect(call()).rejects.toMatchObject(error);
    });
  },
);
