import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EvalReport } from '../../features/evals/rules/eval-report.ts';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type CrashProject, crashProject } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';

/** A project with a separate server, where nobody works but the command itself. */
const CASES = 12;
const CONCURRENCY = 3;
const asked: string[] = [];
const answered = new Set<string>();
let model: ScriptedServer;
let project: CrashProject;

beforeAll(async () => {
  model = await startScriptedServer(async ({ body }) => {
    const text = JSON.stringify(body);
    const [, n = '?'] = /case (\d+)\?/u.exec(text) ?? [];
    const call = `${text.includes('# Rubric') ? 'judge' : 'case'} ${n}`;
    asked.push(call);
    await sleep(100);
    answered.add(call);
    if (call.startsWith('case')) return `answer ${n}.`;
    return JSON.stringify({ score: 1, reason: 'It is one.' });
  });
  project = crashProject({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none' },
    args: ['--config', 'test/fixtures/configs/eval-killed.config.ts'],
  });
});
afterAll(async () => {
  await project.stop();
  await model.close();
});

/** Calls that were made again: those that were under way when the command was killed. */
const repeated = () => asked.length - new Set(asked).size;

test('an eval that is killed among the cases, and again among the judges, pays for nothing twice but calls under way', async () => {
  const command = ['eval', 'killed', '--id', 'once', '--json'];

  const first = project.start(...command);
  await until(() => asked.length >= CASES / 2);
  await first.killGroup();
  expect(asked.some((call) => call.startsWith('judge'))).toBe(false);
  const beforeSecond = new Set(answered);

  const second = project.start(...command);
  await until(() => asked.filter((call) => call.startsWith('judge')).length >= CASES / 2);
  await second.killGroup();
  expect(repeated()).toBeLessThanOrEqual(CONCURRENCY);
  const beforeThird = new Set(answered);

  const { code, stdout, stderr } = await project.run(...command);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { evals } = JSON.parse(stdout) as { evals: EvalReport[] }; // printed by us
  expect(evals).toMatchObject([{ total: CASES, passed: CASES, score: 1, usage: { modelCalls: 2 * CASES } }]);
  expect(new Set(asked).size).toBe(2 * CASES);
  expect(repeated()).toBeLessThanOrEqual(2 * CONCURRENCY);
  expect(beforeSecond.size).toBeGreaterThan(0);
  expect(beforeThird.size).toBeGreaterThan(CASES);

  const calls = asked.length;
  expect((await project.run(...command)).code).toBe(0);
  expect((await project.run('eval', 'show', 'killed', '--json')).stdout).toBe(stdout);
  expect(asked).toHaveLength(calls);
});
