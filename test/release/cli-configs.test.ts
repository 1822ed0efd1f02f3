import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, reloop } from '../support/cli.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Several configs on the one server that a project has of its own, each beside a `reloop dev` of another. */
const folder = tempFolder();
const env = { RELOOP_STATE_DIR: folder };
const project = ['--config', 'examples/reloop.config.ts'];
const weather = ['--config', 'examples/weather.ts'];
const industry = ['--config', 'examples/industry.ts'];
const question = 'Query the weather of this week,And How old will I be in ten years? This year I am 28';
let dev: Command;

beforeAll(async () => {
  dev = reloop(['dev', ...project], env);
  await dev.prints('Ctrl-C ends it');
});
afterAll(async () => {
  dev.child.kill('SIGTERM');
  await dev.exit;
});

async function cli(...args: string[]) {
  const command = reloop(args, env);
  const code = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

/** A command that needs no worker of its own: what it does, where it is not about the process. */
const cliHere = (...args: string[]) => reloopHere(args, env);

describe("beside the project's `reloop dev`", () => {
  test('a run with another config is answered by a worker for that config', async () => {
    const { code, stdout, stderr } = await cli('run', 'weather', question, ...weather);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toBe('I will be 38 in ten years and the weather this week is sunny.\n');
    expect(stderr).not.toContain('AgentNotFound');
  });

  test('a session of another config goes on over several commands', async () => {
    expect((await cli('run', 'industry', '我是赖赖', '--session', 'lai', ...industry)).code).toBe(0);
    const second = await cli('run', 'industry', '我是谁', '--session', 'lai', ...industry);
    expect(second).toMatchObject({ code: 0, stdout: '你是赖赖,这是你在之前的提问中提到的。\n' });
  });

  test('a session of another config is refused with the sentence that says which', async () => {
    const { code, stderr } = await cliHere('run', 'comparison', 'Hello?', '--session', 'lai', ...project);
    expect(code).toBe(2);
    expect(stderr).toContain('write --config examples/industry.ts, or start another');
  });

  test('a run that was left is gone on with by its config, without naming it', async () => {
    const left = await cliHere('run', 'weather', question, '--detach', '--id', 'left', ...weather);
    expect(left).toMatchObject({ code: 0, stdout: 'left\n' });
    expect(left.stderr).toContain('reloop dev --config examples/weather.ts');
    expect(await cli('watch', 'left')).toMatchObject({
      code: 0,
      stdout: 'I will be 38 in ten years and the weather this week is sunny.\n',
    });
  });

  test('a second `reloop dev`, with another config, serves that config and leaves the first its queue', async () => {
    const other = reloop(['dev', '--json', ...weather], env);
    await other.prints('Ctrl-C ends it');
    expect(JSON.parse(other.stdout())).toMatchObject({ taskQueue: 'reloop:examples/weather.ts' });
    expect((await cli('run', 'weather', question, ...weather)).code).toBe(0);
    expect((await cliHere('run', 'geographer', 'Norway', ...project)).code).toBe(0);
    other.child.kill('SIGTERM');
    await other.exit;
  });
});

test('an id of another run is refused with what differs', async () => {
  await cli('run', 'weather', question, '--id', 'taken', ...weather);
  const otherQuestion = await cliHere('run', 'weather', 'Another?', '--id', 'taken', ...weather);
  expect(otherQuestion).toMatchObject({ code: 2, stdout: '' });
  expect(otherQuestion.stderr).toContain('its question is "Query the weather of this week');
  const otherAgent = await cliHere('run', 'assistant', question, '--id', 'taken', ...project);
  expect(otherAgent).toMatchObject({ code: 2, stdout: '' });
  expect(otherAgent.stderr).toContain('its agent is weather');
});
