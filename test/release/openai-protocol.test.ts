import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, cleanEnv, reloop, root } from '../support/cli.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { textOf } from '../support/doc-pages.ts';
import { blocksOf } from '../support/page-blocks.ts';
import { until } from '../support/processes.ts';
import { fetchOpenaiPython } from '../support/python-venv.ts';

/** OpenAI's client for Python asks two processes of `reloop serve`, while a gateway and the worker are killed. */
const fetched = await fetchOpenaiPython();
const python = 'python' in fetched ? fetched.python : '';
const title = 'missing' in fetched ? ` (skipped: no openai for Python here: ${fetched.missing})` : '';

const CONFIG = 'test/fixtures/gateway.config.ts';
const TOKEN = 'a-token-of-this-test';
const GREETING = 'Good day to you.';
const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
const ANSWER = words.join(' ');

let rig: CrashRig;
let worker: Command;
const gateways: { command: Command; url: string }[] = [];

describe.skipIf(python === '')(`OpenAI's client for Python${title}`, () => {
  beforeAll(async () => {
    rig = await startCrashRig({
      config: CONFIG,
      replies({ prompt }) {
        if (prompt.includes('Greet me.')) return GREETING;
        if (prompt.includes('paid bill')) return { text: ANSWER, chunkDelayMs: 100 };
        return { text: 'One moment.', toolCalls: [{ name: 'pay', arguments: { input: 'bill' } }] };
      },
    });
    worker = rig.startWorker();
    gateways.push(await startGateway(), await startGateway());
  }, 60_000);
  afterAll(async () => {
    await Promise.all(gateways.map(({ command }) => command.killGroup()));
    await rig.stop();
  });

  test('prints an answer with the program of the page', async () => {
    const { stdout } = await promisify(execFile)(python, ['-c', pageProgram(gateways[0]?.url ?? '')]);
    expect(stdout).toBe(GREETING);
  });

  test('reads a whole answer, though its gateway and the worker die in the middle', async () => {
    const urls = gateways.map(({ url }) => url);
    const client = spawn(python, ['test/fixtures/programs/openai-client.py', ...urls, TOKEN], {
      cwd: root,
      env: cleanEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    client.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const closed = once(client, 'close');
    await until(() => printed.includes('HALF') || client.exitCode !== null);
    await Promise.all([gateways[1]?.command.killGroup(), worker.killGroup()]);
    rig.startWorker();
    await closed;
    expect(printed).toContain('RESUMED');
    const [chat, waiting, read] = printed
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { [field: string]: unknown });
    expect(chat).toEqual({ chat: GREETING });
    expect(waiting).toMatchObject({ status: 'completed', asks: 'pay' });
    const { output } = await rig.client.get(String(waiting?.['id']).replace('resp_', '')).describe();
    expect(output).toBe(ANSWER);
    expect(read).toEqual({ texts: ['One moment.\n\n', ANSWER], whole: `One moment.\n\n${ANSWER}` });
    expect(linesOf(join(rig.folder, 'effects'))).toHaveLength(1);
  }, 120_000);
});

/** The program of the page, for the gateway and an agent of this test. */
function pageProgram(url: string): string {
  const block = blocksOf(textOf('docs/openai-protocol.md')).find(({ language }) => language === 'python');
  const program = block?.lines.join('\n') ?? '';
  return [
    ['http://localhost:8700/v1', url],
    ['a-secret-of-mine', TOKEN],
    ['model="assistant"', 'model="clerk"'],
    ['What do 21 chairs cost?', 'Greet me.'],
  ].reduce((text, [from = '', to = '']) => text.replace(from, to), program);
}

async function startGateway(): Promise<{ command: Command; url: string }> {
  const port = await freePort();
  const file = join(rig.folder, 'callers.json');
  writeFileSync(file, JSON.stringify([{ token: TOKEN, name: 'python', scopes: ['admin'] }]));
  const args = ['serve', '--port', String(port), '--tokens', file, '--config', CONFIG];
  const command = reloop([...args, '--address', rig.server.address], { OPENAI_BASE_URL: rig.model.url });
  await command.prints('Gateway ready');
  return { command, url: `http://127.0.0.1:${port}/v1` };
}
