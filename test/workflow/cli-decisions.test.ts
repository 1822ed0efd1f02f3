import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RunReport } from '../../client/report.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { type Command, reloop } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { act, answer } from '../support/scripts.ts';

/** What a person decides of a waiting call, as typed. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-cli-'));
const mended = join(folder, 'mended');
const config = ['--config', 'test/fixtures/configs/cli.config.ts'];
let away = false;
let model: ScriptedServer;
let worker: Command;
let env: { [name: string]: string };

beforeAll(async () => {
  model = await startScriptedServer((request) => {
    const text = JSON.stringify(request.body);
    if (text.includes('Question: away?')) {
      return away ? { status: 503, error: { message: 'overloaded' } } : answer('answered away?');
    }
    const fresh = !text.slice(text.indexOf('Question: broken?')).includes('Observation: ');
    return fresh ? act('broken', 'x') : answer('answered broken?');
  });
  env = {
    OPENAI_BASE_URL: model.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `cli-decisions-${Date.now()}`,
    CLI_MENDED: mended,
  };
  worker = reloop(['worker', ...config], env);
  await worker.prints('Worker ready');
});
afterAll(async () => {
  await worker.killGroup();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

const cli = (args: string[]) => reloopHere(args, env);

async function report(id: string): Promise<RunReport> {
  const { stdout } = await cli(['show', id, '--json']);
  return JSON.parse(stdout) as RunReport;
}

describe('a waiting run', () => {
  const park = async (id: string) => cli(['run', 'asker', 'broken?', '--no-wait', '--id', id, ...config]);

  test.each([
    ['retry', ['retry', 'w1', '--input', 'good'], 'fine with good'],
    ['resolve', ['resolve', 'w2', '1.1', 'by hand'], 'by hand'],
    ['resolve without the call', ['resolve', 'w2b', 'by hand'], 'by hand'],
    ['skip', ['skip', 'w3', '1.1'], 'This tool call was skipped by the operator; there is no result.'],
  ])('goes on after %s', async (_title, args, observation) => {
    const id = String(args[1]);
    await park(id);
    expect((await cli(args)).code).toBe(0);
    expect((await cli(['watch', id])).stdout).toBe('answered broken?\n');
    expect((await report(id)).intermediateSteps).toMatchObject([{ call: '1.1', observation }]);
  });

  test('refuses what does not fit, with exit code 2 and a sentence', async () => {
    await park('w4');
    for (const args of [
      ['retry', 'w4', '9.9'],
      ['cancel', 'w4', '1.1'],
      ['retry', 'nobody'],
      ['show', 'nobody'],
    ]) {
      const { code, stdout, stderr } = await cli(args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  test('is not resolved with the id of its call where the result was left out', async () => {
    await park('w6');
    const { code, stderr } = await cli(['resolve', 'w6', '1.1']);
    expect(code).toBe(2);
    expect(stderr).toContain('Its result is missing: reloop resolve w6 1.1 "…"');
    expect(await report('w6')).toMatchObject({ status: 'waiting', waiting: [{ call: '1.1' }] });
  });

  test('fails where a person aborts it', async () => {
    await park('w7');
    expect((await cli(['abort', 'w7', '--reason', 'wrong question'])).code).toBe(0);
    const { code, stderr } = await cli(['watch', 'w7']);
    expect(code).toBe(1);
    expect(stderr).toContain('error: Aborted: Aborted by the operator: wrong question.');
  });

  test('is mended outside and retried without naming the call', async () => {
    await park('w5');
    writeFileSync(mended, '');
    expect((await cli(['retry', 'w5'])).code).toBe(0);
    expect((await cli(['watch', 'w5', '--json'])).stdout).toContain('"observation":"fine with x"');
    rmSync(mended);
  });
});

describe('a run whose model is away', () => {
  const park = async (id: string) => {
    away = true;
    return cli(['run', 'patient', 'away?', '--no-wait', '--id', id, ...config]);
  };

  test.each([
    ['retry', ['retry', 'm1'], 'answered away?'],
    ['retry with the call', ['retry', 'm2', '1'], 'answered away?'],
    ['resolve', ['resolve', 'm3', answer('by hand')], 'by hand'],
  ])('waits, says what fits, and goes on after %s', async (_title, args, output) => {
    const id = String(args[1]);
    const { code, stderr } = await park(id);
    expect(code).toBe(4);
    expect(stderr).toContain('Waiting for you: the model of step 1 failed');
    expect(stderr).toContain(`reloop retry ${id} --config`);
    for (const unfit of ['reloop skip', 'other input']) expect(stderr).not.toContain(unfit);
    expect(await report(id)).toMatchObject({
      status: 'waiting',
      waiting: [{ call: '1', tool: 'callModel', reason: 'failed', error: { type: 'ModelServerError' } }],
    });
    expect((await cli(['show', id])).stdout).toContain(`reloop abort ${id}`);
    away = false;
    expect((await cli(args)).code).toBe(0);
    expect((await cli(['watch', id])).stdout).toBe(`${output}\n`);
  });

  test('refuses to go on without the model, with a sentence that says what fits', async () => {
    await park('m4');
    const { code, stderr } = await cli(['skip', 'm4']);
    expect(code).toBe(2);
    expect(stderr).toContain('Possible: retry, resolve, abort.');
  });
});
