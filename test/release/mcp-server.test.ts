import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fieldOf } from '../../agent/values/values.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { act, answer } from '../support/scripts.ts';

const CONFIG = 'test/fixtures/gateway.config.ts';
let rig: CrashRig;
const servers: Client[] = [];

beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies: ({ prompt }) => (prompt.includes('Observation: paid') ? answer('done') : act('pay', 'the bill')),
  });
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await rig.stop();
});

/** `reloop mcp` as a program of an MCP client starts it. */
async function startServer() {
  const args = ['dist/cli/main.js', 'mcp', '--config', CONFIG, '--address', rig.server.address];
  const env = cleanEnv({ OPENAI_BASE_URL: rig.model.url }) as { [name: string]: string }; // without unset names
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...args, '--as', 'ann'],
    env,
    cwd: root,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  servers.push(client);
  const call = async (name: string, given: object) => {
    const result = await client.callTool({ name, arguments: { ...given } });
    return fieldOf(result, 'structuredContent') as { id: string; status: string; output: unknown };
  };
  return { call, pid: Number(transport.pid) };
}

test('a run goes on when its MCP server and its worker are killed, and other ones finish it', async () => {
  rig.startWorker();
  const first = await startServer();
  const waiting = await first.call('payer', { input: 'Pay the bill.' });
  expect(waiting.status).toBe('waiting');
  process.kill(first.pid, 'SIGKILL');
  await rig.killWorkers();

  rig.startWorker();
  const second = await startServer();
  await second.call('decide_on_run', { id: waiting.id, decision: 'approve' });
  expect(await second.call('get_run', { id: waiting.id })).toMatchObject({
    status: 'completed',
    output: 'done',
  });
  expect(linesOf(join(rig.folder, 'effects'))).toHaveLength(1);
  const { audit } = await rig.client.get(waiting.id).export();
  expect(audit).toMatchObject([{ by: 'ann', word: 'start' }, { by: 'ann' }]);
});
