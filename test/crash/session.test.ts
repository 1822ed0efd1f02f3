import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionReport } from '../../client/agent-session.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { type Command, reloop } from '../support/cli.ts';
import { until } from '../support/processes.ts';

/** A conversation on a server of the project's own, whose every process is killed in the middle. */
const state = mkdtempSync(join(tmpdir(), 'reloop-session-'));
const config = ['--config', 'test/fixtures/session.config.ts'];
let model: ScriptedServer;
let env: { [name: string]: string };
let hang = false;
const commands: Command[] = [];

beforeAll(async () => {
  model = await startScriptedServer(({ body }) => {
    const said = JSON.stringify(body);
    if (hang || said.includes('想一想')) return { hang: true };
    const name = said.includes('我是赖赖') ? '赖赖' : '谁都不是';
    return `\`\`\`json\n{"action": "Final Answer", "action_input": "你是${name}"}\n\`\`\``;
  });
  env = { RELOOP_STATE_DIR: state, OPENAI_BASE_URL: model.url };
});
afterAll(async () => {
  for (const command of commands) await command.killGroup();
  await model.close();
  rmSync(state, { recursive: true, force: true });
});

function start(...args: string[]): Command {
  const command = reloop([...args, ...config], env);
  commands.push(command);
  return command;
}

async function cli(...args: string[]) {
  const command = start(...args);
  const code = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

async function session(): Promise<SessionReport> {
  const { stdout } = await cli('session', 'show', 'names', '--json');
  return JSON.parse(stdout) as SessionReport;
}

/** kill -9 of the command, of who keeps the server, and of the server. */
async function killEverything(command: Command): Promise<void> {
  await command.killGroup();
  for (const file of ['keeper.json', 'server.json']) {
    const { pid } = JSON.parse(readFileSync(join(state, file), 'utf8')) as { pid: number }; // our own files
    process.kill(pid, 'SIGKILL');
  }
}

test('a conversation outlives all that it ran in', async () => {
  const first = await cli('run', 'friend', '我是赖赖', '--session', 'names');
  expect(first).toMatchObject({ code: 0, stdout: '你是赖赖\n' });

  hang = true;
  const before = model.requests.length;
  const second = start('run', 'friend', '我是谁', '--session', 'names', '--id', 'who');
  await until(() => model.requests.length > before);
  await killEverything(second);
  hang = false;

  expect(await session()).toMatchObject({ running: 'who', queued: [], messages: { length: 2 } });
  expect(await cli('watch', 'who')).toMatchObject({ code: 0, stdout: '你是赖赖\n' });
  expect((await session()).messages).toEqual([
    { role: 'user', content: '我是赖赖' },
    { role: 'assistant', content: '你是赖赖' },
    { role: 'user', content: '我是谁' },
    { role: 'assistant', content: '你是赖赖' },
  ]);
});

test('a question waits for its turn, and says so, while the one before it is answered', async () => {
  const before = model.requests.length;
  const slow = start('run', 'friend', '想一想', '--session', 'names', '--id', 'slow');
  await until(() => model.requests.length > before);
  const next = start('run', 'friend', '然后呢', '--session', 'names', '--json');
  await next.prints('Waiting for its turn in session names: before it comes slow');
  const gone = start('run', 'friend', '算了吧', '--session', 'names', '--id', 'gone');
  await gone.prints('before it comes slow and 1 more');
  while (!(await session()).queued.includes('gone')) await sleep(100);
  gone.child.kill('SIGINT');
  expect(await gone.exit).toBe(130);
  expect(gone.stderr()).toContain('The question stays in session names');
  const left = await cli('run', 'friend', '还有呢', '--session', 'names', '--detach', '--id', 'left');
  expect(left).toMatchObject({ code: 0, stdout: 'left\n' });
  expect((await cli('cancel', 'slow')).code).toBe(0);
  expect(await slow.exit).toBe(130);
  expect(await next.exit).toBe(0);
  expect(JSON.parse(next.stdout())).toMatchObject({
    input: '然后呢',
    output: '你是赖赖',
    status: 'completed',
  });
  expect(await cli('run', 'friend', '最后呢', '--session', 'names')).toMatchObject({ code: 0 });
  const { messages, runs, queued, running } = await session();
  expect({ queued, running }).toEqual({ queued: [], running: null });
  expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    '我是赖赖',
    '我是谁',
    '然后呢',
    '算了吧',
    '还有呢',
    '最后呢',
  ]);
  expect(runs).toHaveLength(7);
});

test('a conversation is listed, cleared, and then unknown', async () => {
  expect(await cli('session', 'list')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('names') as string,
  });
  expect(await cli('session', 'clear', 'names', '--json')).toMatchObject({
    code: 0,
    stdout: '{"name":"names","cleared":true}\n',
  });
  for (const command of ['show', 'clear']) {
    const { code, stdout, stderr } = await cli('session', command, 'names');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('There is no session "names"');
  }
  const { stdout } = await cli('run', 'friend', '我是谁', '--session', 'names');
  expect(stdout).toBe('你是谁都不是\n');
});
