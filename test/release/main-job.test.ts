import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cleanEnv, root } from '../support/cli.ts';
import { crashProject } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';

/** What the README promises, run as a newcomer runs it, on an embedded server of the test's own. */
const project = crashProject({ cwd: join(root, 'examples') }); // as npm run dev
const env = { ...project.env, DEMO_REPORT: join(project.state, 'report.txt') };
let id = '';
afterAll(() => project.stop());

/** A script of examples/ to its end. */
async function example(name: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', `examples/${name}.ts`, ...args], {
    cwd: root,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

describe('npm start', () => {
  test('answers the question of the first seed in four loops, and says where to look', async () => {
    const { code, stdout, stderr } = await example('main-job');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '55\n' });
    expect(stderr).toContain("Observation: name 'fibonacci' is not defined");
    expect(stderr).toContain('4 model calls');
    id = /workflows\/(\S+)/u.exec(stderr)?.[1] ?? '';
    expect(id).toMatch(/^fibonacci-/u);
  });

  test('says a clear word when there is only the scripted model for another question', async () => {
    const { code, stdout, stderr } = await example('main-job', 'What is the meaning of life?');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('OPENAI_API_KEY');
  });

  test.skipIf(!hasChromium)(`leaves a run that the Web UI of npm run dev shows${chromiumTitle}`, async () => {
    const [port, ui] = [await freePort(), await freePort()];
    const dev = project.start('dev', '--port', String(port), '--ui-port', String(ui));
    await dev.prints('Ctrl-C ends it');
    const chrome = await startChromium();
    try {
      const page = await chrome.newPage();
      await page.goto(`http://127.0.0.1:${ui}/namespaces/default/workflows/${id}`);
      await page.getByText('Python REPL • fibonacci(10)').first().waitFor({ timeout: 30_000 });
      expect(await page.getByText('Completed').count()).toBeGreaterThan(0);
    } finally {
      await chrome.close();
      dev.child.kill('SIGINT');
      await dev.exit;
    }
  });
});

test('a client script of twenty lines gets its answer from npm run dev', async () => {
  const script = readFileSync(join(root, 'examples/start-run.ts'), 'utf8');
  expect(script.trim().split('\n').length).toBeLessThanOrEqual(20);
  const dev = project.start('dev');
  await dev.prints('Ctrl-C ends it');
  const { code, stdout } = await example('start-run');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('It is sunny in Lisbon, 69.8 °F.') as string,
  });
  dev.child.kill('SIGINT');
  await dev.exit;
});

test('the demo "kill it" ends with the answer, the count not begun anew', async () => {
  const { code, stdout, stderr } = await example('demo-kill');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Eight, and none of them twice.\n' });
  expect(stderr).toMatch(/counted to 8; this process began at [2-8]/u);
});

test('the demo "retry it" waits, is mended, and ends with the answer', async () => {
  const { code, stdout, stderr } = await example('demo-retry');
  expect(code).toBe(0);
  expect(stdout).toContain('Sales are up.');
  expect(stderr).toContain('Waiting for you: report (1.1) failed');
});
