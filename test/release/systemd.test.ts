import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { root, spawnCommand } from '../support/cli.ts';
import { freePort } from '../support/dev-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The unit of the page on systemd. */
const [, unit = ''] = /```ini\n(.*?)```/su.exec(readFileSync(join(root, 'docs/systemd.md'), 'utf8')) ?? [];
const folder = tempFolder();
const started: ReturnType<typeof spawnCommand>[] = [];
afterAll(() => Promise.all(started.map((one) => one.killGroup())));

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The unit as it would stand on this machine: Node lies elsewhere. */
function verify(text: string): string {
  const file = join(folder, 'my-agent.service');
  writeFileSync(file, text.replaceAll('/usr/bin/node', process.execPath));
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  return stdout + stderr;
}

test.skipIf(!hasSystemd)('systemd takes the unit, and finds a wrong one', () => {
  expect(verify(unit).includes('my-agent.service')).toBe(false);
  expect(verify(unit.replace('Restart=always', 'Restart=ever'))).toContain('my-agent.service');
});

/** The arguments of Node in a line of the unit. */
function argsOf(name: string, port: number): string[] {
  const [, line = ''] = new RegExp(`^${name}=/usr/bin/node (.*)$`, 'mu').exec(unit) ?? [];
  const words = [...line.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return words.map((word) => word.replaceAll('8080', String(port)).replace('node_modules/reloop/', ''));
}

test('the stop command returns when the started worker has ended', async () => {
  const port = await freePort();
  const env = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: `systemd-${port}`,
    RELOOP_STATE_DIR: join(folder, 'state'),
  };
  const config = ['--config', 'test/fixtures/configs/drain.config.ts'];
  const worker = spawnCommand([...argsOf('ExecStart', port), ...config], env);
  const stop = () => spawnCommand(argsOf('ExecStop', port), env);
  started.push(worker);
  await worker.prints('Worker ready');
  const stopping = stop();
  started.push(stopping);
  expect(await stopping.exit).toBe(0);
  expect(await worker.exit).toBe(0);
});
