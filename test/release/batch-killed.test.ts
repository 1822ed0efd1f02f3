import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../features/testing/index.ts';
import { type CrashProject, crashProject } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { answer } from '../support/scripts.ts';

/** A project with a server of its own, where nobody works but the command itself. */
const ROWS = 30;
const CONCURRENCY = 3;
const rows = Array.from({ length: ROWS }, (_, index) => index + 1);
const asked: number[] = [];
let model: ScriptedServer;
let project: CrashProject;

beforeAll(async () => {
  model = await startScriptedServer(async ({ body }) => {
    const row = Number(/Question: row (\d+)\?\\nThought:/u.exec(JSON.stringify(body))?.[1]);
    asked.push(row);
    await sleep(100);
    return answer(`answer ${row}`);
  });
  project = crashProject({
    env: { OPENAI_BASE_URL: model.url },
    args: ['--config', 'test/fixtures/configs/cli.config.ts'],
  });
});
afterAll(async () => {
  await project.stop();
  await model.close();
});

test('a batch whose process is killed continues, pays again only for what was under way, and writes every row', async () => {
  const file = join(project.state, 'rows.csv');
  const out = join(project.state, 'results.csv');
  writeFileSync(file, ['n,question', ...rows.map((row) => `${row},row ${row}?`)].join('\n'));
  const flags = ['--id', 'lot', '--concurrency', String(CONCURRENCY), '--out', out];

  const first = project.start('batch', 'asker', file, ...flags);
  await until(() => asked.length >= ROWS / 3);
  await first.killGroup();
  expect(existsSync(out)).toBe(false);
  const before = new Set(asked).size;
  expect(before).toBeLessThan(ROWS);

  const { code, stderr } = await project.run('batch', 'asker', file, ...flags);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(new Set(asked)).toEqual(new Set(rows));
  expect(asked.length).toBeLessThanOrEqual(ROWS + CONCURRENCY);
  const [header, ...lines] = readFileSync(out, 'utf8').trim().split('\n');
  expect(header).toContain('n,question,run,status,output');
  expect(lines.map((line) => line.split(',').slice(0, 5))).toEqual(
    rows.map((row) => [String(row), `row ${row}?`, `lot-${row}`, 'completed', `answer ${row}`]),
  );
}, 180_000);
