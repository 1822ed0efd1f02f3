import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp-folder.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentClient } from '../../client/api/agent-client.ts';
import { type Ports, freePorts } from '../../local/server/ports.ts';
import { isAlive } from '../../local/server/process-identity.ts';
import { type Command, reloop, root } from '../support/cli.ts';
import { until } from '../support/processes.ts';

/** A project of its own with `reloop dev` in it. */
const folder = tempFolder();
const log = join(folder, 'log');
const release = join(folder, 'release');
/** Where the project's last server was. */
let ports: Ports;
let dev: Command;
let client: AgentClient;

const CONFIG = `import { defineAgent, defineConfig, defineModel } from 'reloop';
import { quick } from './tools/quick.ts';
import { slow } from './tools/slow.ts';

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const calls = (...tools: string[]) =>
  defineModel({
    call: async (_request, { step }) => ({
      text: \`I need it.\\nAction: \${tools[Number(step) - 1]}\\nAction Input: x\`,
      toolCalls: [],
      finishReason: 'stop',
      usage,
    }),
  });

export default defineConfig({
  agents: [
    defineAgent({ name: 'quick', kind: 'zero-shot', model: calls('quick'), tools: [quick] }),
    defineAgent({ name: 'slow', kind: 'zero-shot', model: calls('slow', 'quick'), tools: [slow, quick] }),
  ],
});
`;
const SLOW = `import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool } from 'reloop';

export const slow = defineTool({
  name: 'slow',
  description: 'waits until it is released',
  run: async (_input: string, { signal }) => {
    appendFileSync(${JSON.stringify(log)}, 'begun ' + process.pid + '\\n');
    signal.addEventListener('abort', () => appendFileSync(${JSON.stringify(log)}, 'told to end\\n'));
    while (!existsSync(${JSON.stringify(release)})) await sleep(50, undefined, { signal });
    return 'released';
  },
});
`;
const quick = (version: string) => `import { defineTool } from 'reloop';

export const quick = defineTool({
  name: 'quick',
  description: 'says which code it is',
  returnDirect: true,
  run: (_input: string) => '${version} of ' + process.pid,
});
`;

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

/** How often dev has said so. */
function said(text: string): number {
  return dev.stderr().split(text).length - 1;
}

async function saying(text: string, act: () => void): Promise<void> {
  const before = said(text);
  act();
  await until(() => said(text) > before);
  expect(said(text)).toBeGreaterThan(before);
}

async function startDev(): Promise<void> {
  dev = reloop(['dev', '--json'], {}, folder);
  await dev.prints('Ctrl-C ends it');
  const { address } = JSON.parse(dev.stdout()) as { address: string }; // as documented
  client = await AgentClient.connect({ address });
}

/** What the tool says, and in which process. */
async function askQuick(): Promise<{ version: string; pid: number }> {
  const { output } = await (await client.start('quick', 'which?')).result();
  const [version = '', pid] = (output as string).split(' of '); // of the tool above
  return { version, pid: Number(pid) };
}

const begun = () =>
  (existsSync(log) ? readFileSync(log, 'utf8') : '').split('\n').filter((line) => line.startsWith('begun'));
const gone = (pid: number) => isAlive({ pid, startedAt: null }).then((alive) => !alive);

beforeAll(async () => {
  mkdirSync(join(folder, 'tools'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/reloop'));
  ports = await freePorts({ grpc: 0, ui: 0 });
  write('package.json', '{ "type": "module" }');
  write('reloop.config.ts', CONFIG);
  write('tools/slow.ts', SLOW);
  write('tools/quick.ts', quick('first'));
  mkdirSync(join(folder, '.reloop'));
  write('.reloop/ports.json', JSON.stringify(ports));
  await startDev();
});
afterAll(async () => {
  await client.close();
  dev.child.kill('SIGKILL');
  await dev.exit;
});

describe('while `reloop dev` runs', () => {
  test('a changed tool is taken over, and a call under way goes on to its end in the code that it began with', async () => {
    const run = await client.start('slow', 'wait');
    await until(() => begun().length === 1);
    await saying('Reloaded in', () => write('tools/quick.ts', quick('second')));
    expect(dev.stderr()).toContain('tools/quick.ts changed: loading the config …');
    expect(dev.stderr()).toContain('agents quick, slow; tool quick changed');
    await dev.prints('1 call under way continues with the code that was there before.');
    expect((await askQuick()).version).toBe('second');

    writeFileSync(release, '');
    const { output, intermediateSteps } = await run.result();
    expect(intermediateSteps[0]).toMatchObject({ observation: 'released', attempts: 1 });
    expect(output).toMatch(/^second of /u);
    expect(begun()).toHaveLength(1);
    expect(readFileSync(log, 'utf8')).not.toContain('told to end');
    const [, former] = begun()[0]?.split(' ') ?? [];
    while (!(await gone(Number(former)))) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  test('a config that does not load is said with file and line, and the former one goes on until it is mended', async () => {
    await saying('Still running the former one.', () => write('tools/quick.ts', 'export const quick = ;\n'));
    expect(dev.stderr()).toContain('  tools/quick.ts:1:22\n  > 1 | export const quick = ;\n');
    expect((await askQuick()).version).toBe('second');
    await saying('Reloaded in', () => write('tools/quick.ts', quick('third')));
    expect((await askQuick()).version).toBe('third');
  });

  test('a module that the config imports and that is not there yet is waited for', async () => {
    const config = CONFIG.replace('./tools/slow.ts', './later/slow.ts');
    await saying('Still running the former one.', () => write('reloop.config.ts', config));
    await saying('Reloaded in', () => {
      mkdirSync(join(folder, 'later'));
      write('later/slow.ts', SLOW);
    });
    expect((await askQuick()).version).toBe('third');
  });

  test('`reloop run` that is typed right after a change runs the new code', async () => {
    write('tools/quick.ts', quick('fourth'));
    const run = reloop(['run', 'quick', 'which?'], {}, folder);
    expect(await run.exit).toBe(0);
    expect(run.stdout()).toMatch(/^fourth of /u);
  });

  test('`reloop retry` that is typed right after a tool was mended runs the new code', async () => {
    const broken = "retry: { maxAttempts: 1 },\n  run: () => { throw new Error('broken'); },";
    write('tools/quick.ts', quick('').replace(/run: .*,/u, broken));
    expect(await reloop(['run', 'quick', 'which?', '--id', 'mended', '--no-wait'], {}, folder).exit).toBe(4);
    write('tools/quick.ts', quick('mended'));
    expect(await reloop(['retry', 'mended'], {}, folder).exit).toBe(0);
    expect((await client.get('mended').result()).output).toMatch(/^mended of /u);
  });

  test('a `.env` that comes to be is read by the next worker', async () => {
    write('tools/quick.ts', quick('${process.env.GREETING}').replaceAll("'", '`'));
    await saying('Reloaded in', () => write('.env', 'GREETING=hello\n'));
    await until(() => said('loading the config …') <= said('Reloaded in') + said('Still running'));
    expect((await askQuick()).version).toBe('hello');
  });

  test('a worker that dies is started again', async () => {
    const { pid } = await askQuick();
    await saying('Started again in', () => process.kill(pid, 'SIGKILL'));
    expect(dev.stderr()).toContain("The worker's process ended on its own (SIGKILL): starting it again.");
    expect((await askQuick()).pid).not.toBe(pid);
  });

  test('nothing of it is left when it is killed', async () => {
    const { pid } = await askQuick();
    dev.child.kill('SIGKILL');
    await dev.exit;
    while (!(await gone(pid))) await new Promise((resolve) => setTimeout(resolve, 20));
    await client.close();
    expect(await gone(pid)).toBe(true);
  });
});

test(
  'when it is ended, a call under way is told so and is made again at the next start, on the same port',
  { timeout: 120_000 },
  async () => {
    rmSync(release);
    const before = begun().length;
    await startDev();
    expect(client.address).toBe(`127.0.0.1:${ports.grpc}`);
    const run = await client.start('slow', 'wait');
    await until(() => begun().length === before + 1);
    dev.child.kill('SIGTERM');
    expect(await dev.exit).toBe(0);
    expect(readFileSync(log, 'utf8')).toContain('told to end');
    await client.close();

    writeFileSync(release, '');
    await startDev();
    const { intermediateSteps } = await client.get(run.id).result();
    expect(intermediateSteps[0]).toMatchObject({ observation: 'released' });
    dev.child.kill('SIGTERM');
    await dev.exit;
  },
);
