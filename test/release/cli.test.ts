import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../client/report.ts';
import { root } from '../support/cli.ts';
import { useCli } from '../support/cli-rig.ts';
import { act, answer } from '../support/scripts.ts';

/** The command as a user runs it: processes, exit codes, what goes to stdout and what to stderr. */
const started = Date.now();
const failures: { [question: string]: object } = {
  'unauthorized?': { status: 401, error: { message: 'Incorrect API key provided' } },
  'cut?': { text: answer('never seen whole'), chunks: [' I now', ' know'], cutAfterChunks: 1 },
};
const { cli, config, killWorker, report, requests, spawn, spawned, startWorker } = useCli(
  'cli',
  (request) => {
    const text = JSON.stringify(request.body);
    const question = /Question: ([^"\\]*\?)\\nThought:/u.exec(text)?.[1] ?? '';
    const asked = text.slice(text.indexOf(`Question: ${question}`));
    const observed = asked.split('\\nObservation: ').length - 1;
    if (failures[question] !== undefined) return failures[question];
    if (question === 'endless?') return act('calculator', `${observed} + 1`);
    if (question === 'sleepy?' && observed === 0) return act('sleeper', 'x');
    if (question === 'sum?' && observed === 0) return act('calculator', '2^10');
    return answer(`answered ${question}`);
  },
);

describe('a process whose output cannot be written', () => {
  test.each([
    ['> /dev/full', 1, 'error: The output could not be written: ENOSPC'],
    ['| true', 0, ''],
  ])('agents %s ends with %i', (where, code, said) => {
    const command = `"${process.execPath}" dist/cli/main.js agents ${config.join(' ')} ${where}; exit \${PIPESTATUS[0]}`;
    const { status, stderr } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: code, stderr: expect.stringContaining(said) });
  });
});

describe('reloop run', () => {
  test('prints the answer on stdout and the trace on stderr', async () => {
    const { code, stdout, stderr } = await spawned('run', 'asker', 'sum?', ...config);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'answered sum?\n' });
    for (const part of ['I need calculator', '2^10', 'Answer: 1024']) expect(stderr).toContain(part);
  });

  test('prints one JSON object with the fields of the contract', async () => {
    const { code, stdout } = await cli('run', 'asker', 'sum?', '--json', '--id', 'json-run', ...config);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      id: 'json-run',
      runId: expect.any(String),
      agent: 'asker',
      input: 'sum?',
      status: 'completed',
      stopReason: 'final_answer',
      output: 'answered sum?',
      iterations: 2,
      intermediateSteps: [
        {
          action: { tool: 'calculator', toolInput: '2^10', log: act('calculator', '2^10') },
          observation: 'Answer: 1024',
          call: '1.1',
          attempts: 1,
          durationMs: expect.any(Number),
        },
      ],
      usage: {
        promptTokens: expect.any(Number),
        completionTokens: expect.any(Number),
        totalTokens: expect.any(Number),
        modelCalls: 2,
        actions: expect.any(Number) as number,
      },
      waiting: [],
      error: null,
      history: { events: expect.any(Number), bytes: expect.any(Number) },
    });
  });

  test('prints the id and ends with --detach', async () => {
    const { code, stdout } = await spawned(
      'run',
      'asker',
      'sum?',
      '--detach',
      '--id',
      'left-alone',
      ...config,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'left-alone\n' });
    expect((await cli('watch', 'left-alone')).stdout).toBe('answered sum?\n');
  });

  test('is listed also where the option stands before the command', async () => {
    const { stdout } = await cli('--json', 'list', '--all');
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ id: 'json-run' }));
  });

  test('refuses a value that no prompt has a place for, before anything starts', async () => {
    const id = `misnamed-${started}`;
    const { code, stderr } = await cli('run', 'named', 'who?', '--var', 'whom=Ada', '--id', id, ...config);
    expect(code).toBe(2);
    expect(stderr).toContain('No prompt text of agent "named" has a place for {whom}');
    expect((await cli('show', id, ...config)).code).toBe(2);
  });

  test('exits with 3 when a budget is used up, and says what was paid', async () => {
    const id = `frugal-${started}`;
    const args = ['run', 'frugal', 'endless?', '--json', '--id', id];
    const { code, stdout, stderr } = await cli(...args, ...config);
    expect(code).toBe(3);
    const { stopReason, usage } = JSON.parse(stdout) as RunReport;
    expect(stopReason).toBe('budget');
    expect(usage.cost).toBeGreaterThanOrEqual(0.01);
    expect(stderr).toContain('stopped (budget)');
    expect((await cli('show', id)).stdout).toMatch(/stopped \(budget\) .* · \$0\.\d{4} · /u);
  });

  test('exits with 1 and the type on stderr when the model refuses', async () => {
    const { code, stdout, stderr } = await cli('run', 'asker', 'unauthorized?', ...config);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('error: ModelAuthenticationError: ');
  });

  test('tries again before it gives up on what a model garbles', async () => {
    const before = requests().length;
    const { code, stdout } = await cli('run', 'asker', 'cut?', '--json', ...config);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', error: { type: 'ModelStreamCut' } });
    expect(requests().length - before).toBe(5);
  });

  test('exits with 130 when it is cancelled, and keeps the steps', async () => {
    const run = spawn('run', 'asker', 'sleepy?', '--id', 'sleepy', ...config);
    await run.prints('sleeper');
    expect((await cli('cancel', 'sleepy')).code).toBe(0);
    expect(await run.exit).toBe(130);
    expect(await report('sleepy')).toMatchObject({
      status: 'cancelled',
      stopReason: 'cancelled',
      iterations: 1,
    });
  });
});

describe('reloop show', () => {
  test('prints the exact request and the raw reply of a step', async () => {
    await cli('run', 'asker', 'sum?', '--id', 'shown', ...config);
    const sent = requests().at(-1)?.body as { messages: { content: string }[]; stop: string[] };
    const { stdout } = await cli('show', 'shown', '--prompt', '2', ...config);
    expect(stdout).toContain(sent.messages[0]?.content);
    expect(stdout).toContain(JSON.stringify(sent.stop[0]).slice(1, -1));
    expect(stdout).toContain(answer('answered sum?'));
  });

  test('reads a run with no worker alive', async () => {
    await killWorker();
    expect(await report('shown')).toMatchObject({ status: 'completed', output: 'answered sum?' });
    expect((await cli('list', '--json', '--all')).stdout).toContain('"shown"');
    await startWorker();
  });
});
