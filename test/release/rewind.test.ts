import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunReport } from '../../client/report.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type CrashProject, crashProject, linesOf } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** A run that is taken back while everything it runs in is killed. */
const PARTS = 8;
let model: ScriptedServer;
let project: CrashProject;
let effects: string;
let hangAt = PARTS;

beforeAll(async () => {
  model = await startScriptedServer(({ body }) => {
    const steps = JSON.stringify(body).split('Observation: worked on').length - 1;
    if (steps === hangAt) return { hang: true };
    return steps < PARTS ? act('work', `part ${steps + 1}`) : answer('all parts');
  });
  const args = ['--config', 'test/fixtures/crash.config.ts'];
  const env: { [name: string]: string } = { OPENAI_BASE_URL: model.url };
  project = crashProject({ args, env });
  effects = join(project.state, 'effects.jsonl');
  Object.assign(project.env, { CRASH_RECORD: effects });
});
afterAll(async () => {
  await project.stop();
  await model.close();
});

const inputs = () => linesOf(effects).map((line) => (JSON.parse(line) as { input: string }).input); // crash.config.ts wrote it
const parts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `part ${from + n}`);

async function shown(): Promise<RunReport> {
  return JSON.parse((await project.run('show', 'r', '--json')).stdout) as RunReport;
}

test('a run that was taken back when its worker was killed, and killed again right after, does each step once', async () => {
  hangAt = 5;
  const first = project.start('run', 'worker', 'Do all parts.', '--id', 'r');
  await until(() => inputs().length === 5);
  await until(() => model.requests.length === 6);
  await first.killGroup();

  // Right after the new run has begun, everything it runs in is gone, and the server too.
  hangAt = 2;
  const rewinding = project.start('rewind', 'r', '--step', '3');
  await rewinding.prints('continues from step 3');
  await until(() => model.requests.length === 7);
  await project.killEverything(rewinding);

  hangAt = -1;
  const watched = await project.run('watch', 'r');
  expect(watched).toMatchObject({ code: 0, stdout: 'all parts\n' });
  // The steps that are kept were made once; those that were dropped, and made anew, once more.
  expect(inputs()).toEqual([...parts(1, 5), ...parts(3, PARTS)]);
  const report = await shown();
  expect(report.intermediateSteps.map(({ action }) => action.toolInput)).toEqual(parts(1, PARTS));
  expect(report).toMatchObject({ iterations: PARTS + 1, status: 'completed' });
});

test('the command becomes the worker of a run that it takes back, where nobody is', async () => {
  const rewound = await project.run('rewind', 'r', '--step', String(PARTS + 1));
  expect(rewound).toMatchObject({ code: 0, stdout: 'all parts\n' });
  expect(rewound.stderr).toContain(`Rewound to step ${PARTS + 1}`);
  const forked = await project.run('fork', 'r', '--step', String(PARTS + 1), '--id', 'other');
  expect(forked).toMatchObject({ code: 0, stdout: 'other\nall parts\n' });
});
