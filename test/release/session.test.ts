import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SessionReport } from '../../client/api/agent-session.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type CrashProject, crashProject } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';

/** A conversation on a server of the project's own, whose every process is killed in the middle. */
let model: ScriptedServer;
let project: CrashProject;
let hang = false;

beforeAll(async () => {
  model = await startScriptedServer(({ body }) => {
    const said = JSON.stringify(body);
    if (hang || said.includes('想一想')) return { hang: true };
    const name = said.includes('我是赖赖') ? '赖赖' : '谁都不是';
    return `\`\`\`json\n{"action": "Final Answer", "action_input": "你是${name}"}\n\`\`\``;
  });
  const args = ['--config', 'test/fixtures/session.config.ts'];
  project = crashProject({ args, env: { OPENAI_BASE_URL: model.url } });
});
afterAll(async () => {
  await project.stop();
  await model.close();
});

async function session(): Promise<SessionReport> {
  const { stdout } = await project.run('session', 'show', 'names', '--json');
  return JSON.parse(stdout) as SessionReport;
}

test('a conversation outlives all that it ran in', async () => {
  const first = await project.run('run', 'friend', '我是赖赖', '--session', 'names');
  expect(first).toMatchObject({ code: 0, stdout: '你是赖赖\n' });

  hang = true;
  const before = model.requests.length;
  const second = project.start('run', 'friend', '我是谁', '--session', 'names', '--id', 'who');
  await until(() => model.requests.length > before);
  await project.killEverything(second);
  hang = false;

  expect(await session()).toMatchObject({ running: 'who', queued: [], messages: { length: 2 } });
  expect(await project.run('watch', 'who')).toMatchObject({ code: 0, stdout: '你是赖赖\n' });
  expect((await session()).messages).toEqual([
    { role: 'user', content: '我是赖赖' },
    { role: 'assistant', content: '你是赖赖' },
    { role: 'user', content: '我是谁' },
    { role: 'assistant', content: '你是赖赖' },
  ]);
});

test('a question waits for its turn, and says so, while the one before it is answered', async () => {
  const before = model.requests.length;
  const slow = project.start('run', 'friend', '想一想', '--session', 'names', '--id', 'slow');
  await until(() => model.requests.length > before);
  const next = project.start('run', 'friend', '然后呢', '--session', 'names', '--json');
  await next.prints('Waiting for its turn in session names: before it comes slow');
  const gone = project.start('run', 'friend', '算了吧', '--session', 'names', '--id', 'gone');
  await gone.prints('before it comes slow and 1 more');
  while (!(await session()).queued.includes('gone')) await sleep(100);
  gone.child.kill('SIGINT');
  expect(await gone.exit).toBe(130);
  expect(gone.stderr()).toContain('The question stays in session names');
  const left = await project.run('run', 'friend', '还有呢', '--session', 'names', '--detach', '--id', 'left');
  expect(left).toMatchObject({ code: 0, stdout: 'left\n' });
  expect((await project.run('cancel', 'slow')).code).toBe(0);
  expect(await slow.exit).toBe(130);
  expect(await next.exit).toBe(0);
  expect(JSON.parse(next.stdout())).toMatchObject({
    input: '然后呢',
    output: '你是赖赖',
    status: 'completed',
  });
  expect(await project.run('run', 'friend', '最后呢', '--session', 'names')).toMatchObject({ code: 0 });
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
