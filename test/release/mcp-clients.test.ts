import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineTool } from '../../adapters/tools/tool.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { type GatewayServer, startGateway } from '../support/gateway-server.ts';
import { fetchMcpPython } from '../support/python-venv.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** Clients of MCP, as their packages come: Python's mcp and fastmcp, and of TypeScript the tasks package and the SDK before 2.0. */
const run = promisify(execFile);
const TOKEN = 'a-token-of-this-test';
const NPM_PACKAGES = [
  '@modelcontextprotocol/client@2.4.0',
  '@modelcontextprotocol/ext-tasks@0.2.2',
  '@modelcontextprotocol/sdk@1.32.2',
];

const pay = defineTool({ name: 'pay', description: 'pays', approval: 'always', run: () => 'paid' });
const wait = defineTool({
  name: 'wait',
  description: 'waits until it is cancelled',
  run: (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    }),
});
const agents = [
  { name: 'clerk', model: script(answer('forty-two')), tools: [] },
  { name: 'payer', model: script(act('pay', 'x'), answer('done')), tools: [pay] },
  { name: 'patient', model: script(act('wait', 'x'), answer('never')), tools: [wait] },
];
const rig = useRig({ agents });
let gateway: GatewayServer;

beforeAll(async () => {
  const tokens = [{ token: TOKEN, name: 'client', scopes: ['admin'] as const }];
  gateway = await startGateway(rig.client, { tokens, agents });
});
afterAll(() => gateway.stop());

/** The things that a program has printed, a line of JSON each. */
async function seenBy(command: string, args: readonly string[], cwd: string): Promise<Map<string, unknown>> {
  const { stdout } = await run(command, [...args, `${gateway.url}/mcp`, TOKEN], { cwd, env: cleanEnv() });
  const lines = stdout.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const { name, value } = JSON.parse(line) as { name: string; value: unknown }; // of our programs
      return [name, value];
    }),
  );
}

const TOOLS = ['clerk', 'payer', 'patient', 'get_run', 'decide_on_run'];
const QUESTION = 'pay (1.1) needs your approval: "x"';

const fetched = await fetchMcpPython();
const missing = 'missing' in fetched ? fetched.missing : '';
const title = missing === '' ? '' : ` (skipped: no clients for Python here: ${missing})`;

describe.skipIf(missing !== '')(`a client in Python${title}`, () => {
  let seen: Map<string, unknown>;
  beforeAll(async () => {
    const python = 'python' in fetched ? fetched.python : '';
    seen = await seenBy(python, ['test/fixtures/programs/mcp-clients.py'], root);
  }, 120_000);

  test.each(['mcp', 'fastmcp'])('of %s finds 2026-07-28, is answered, and asks its person', (name) => {
    expect(seen.get(`${name} auto revision`)).toBe('2026-07-28');
    expect(seen.get(`${name} auto tools`)).toEqual(TOOLS);
    expect(seen.get(`${name} auto answer`)).toBe('forty-two');
    expect(seen.get(`${name} auto asked`)).toBe(QUESTION);
    expect(seen.get(`${name} auto approved`)).toBe('don');
  });

  test.each(['mcp', 'fastmcp'])('of %s is answered by 2025-11-25, and told what a run waits for', (name) => {
    expect(seen.get(`${name} legacy revision`)).toBe('2025-11-25');
    expect(seen.get(`${name} legacy tools`)).toEqual(TOOLS);
    expect(seen.get(`${name} legacy answer`)).toBe('forty-two');
    expect(seen.get(`${name} legacy asked`)).toBeUndefined();
    expect(seen.get(`${name} legacy approved`)).toBe('Run');
  });

  test('is told of the progress of a call', () => {
    expect(seen.get('mcp auto progress')).toBe(true);
    expect(seen.get('mcp legacy progress')).toBe(true);
  });
});

describe('a client in TypeScript', () => {
  let folder: string;
  let seen: Map<string, unknown>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reloop-mcp-clients-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await run('npm', ['install', '--no-audit', '--no-fund', ...NPM_PACKAGES], { cwd: folder });
    const program = join(folder, 'mcp-clients.mjs');
    await run('cp', [join(root, 'test/fixtures/programs/mcp-clients.mjs'), program]);
    seen = await seenBy(process.execPath, [program], folder);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('of the tasks package has a run as a task, decides by its input request, and cancels', () => {
    expect(seen.get('tasks kind')).toBe('task');
    expect(seen.get('tasks states')).toEqual(expect.arrayContaining(['input_required', 'completed']));
    expect(seen.get('tasks answer')).toBe('done');
    expect(seen.get('tasks asked')).toBe(QUESTION);
    expect(seen.get('tasks cancelled')).toBe('cancelled');
  });

  test('of the SDK 1.32.2 is answered by 2025-11-25', () => {
    expect(seen.get('1.x tools')).toEqual(TOOLS);
    expect(seen.get('1.x answer')).toBe('forty-two');
  });
});
