import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunSummary } from '../../client/read/list-runs.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type CrashProject, crashProject } from '../support/crash-rig.ts';
import { act, answer } from '../support/scripts.ts';

/** A project with a server of its own, where nobody works but the commands themselves. */
const config = ['--config', 'test/fixtures/configs/cli.config.ts'];
let model: ScriptedServer;
let project: CrashProject;

beforeAll(async () => {
  model = await startScriptedServer(({ body }) => {
    const text = JSON.stringify(body);
    const isNew = !text.slice(text.indexOf('Question: broken?')).includes('Observation: ');
    return isNew ? act('broken', 'x') : answer('answered');
  });
  const env = { OPENAI_BASE_URL: model.url };
  project = crashProject({ env });
  project.env['CLI_MENDED'] = join(project.state, 'mended');
});
afterAll(async () => {
  await project.stop();
  await model.close();
});

test('a decision on everything is carried out by its own command, which stays until the runs have ended', async () => {
  for (const id of ['one', 'two']) {
    const run = await project.run('run', 'asker', 'broken?', '--no-wait', '--id', id, '--json', ...config);
    expect(run.code).toBe(4);
    const { url = '' } = JSON.parse(run.stdout) as { url?: string };
    expect(url).toMatch(new RegExp(`^http://.*/namespaces/default/workflows/${id}/`, 'u'));
    // The server ends with the command that started it.
    expect(run.stderr).toContain(
      `Web UI: ${url.slice(0, url.lastIndexOf('/'))} (while \`reloop dev\` runs)\n`,
    );
  }
  writeFileSync(join(project.state, 'mended'), '');

  // The config is found by the task queue that the runs are on.
  const { code, stdout, stderr } = await project.run('retry', '--all', '--yes', '--json');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ matched: 2, done: 2, refused: [] });
  expect(stderr).toContain('it stays until they have ended or wait');

  const listed = JSON.parse((await project.run('list', '--json')).stdout) as RunSummary[];
  expect(listed).toMatchObject([
    { status: 'completed', url: expect.stringContaining('/workflows/') },
    { status: 'completed', url: expect.stringContaining('/workflows/') },
  ]);
});
