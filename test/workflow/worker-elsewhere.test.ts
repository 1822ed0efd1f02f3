import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { cli } from '../../cli/cli.ts';
import { warnWithoutWorker } from '../../cli/connection/command-worker.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import { fakeIo } from '../support/fake-io.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { answer, script } from '../support/scripts.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** A config whose model needs a key, which is not here; the workers have another model in its place. */
const folder = tempFolder();
const config = join(folder, 'needs-key.config.mjs');
const agents = () => [{ name: 'a', model: script(answer('from elsewhere')) }];
const address = inject('temporalAddress');

beforeAll(() => {
  writeFileSync(config, "export default { agents: [{ name: 'a', model: 'gpt-4o-mini' }] };");
  vi.stubEnv('OPENAI_API_KEY', undefined);
  vi.stubEnv('OPENAI_BASE_URL', undefined);
});
afterAll(() => {
  vi.unstubAllEnvs();
});

async function run(taskQueue: string) {
  const io = fakeIo();
  const options = ['--address', address, '--config', config, '--task-queue', taskQueue];
  return { code: await cli(['run', 'a', 'what?', ...options], io), out: io.out(), err: io.err() };
}

describe("the model's key", () => {
  test('need not be known to the command whose run another worker does', async () => {
    const rig = await startRig({ agents: agents() });
    expect(await run(rig.taskQueue)).toMatchObject({ code: 0, out: 'from elsewhere\n' });
    await rig.stop();
  });

  test('is missed at once where nobody works', async () => {
    const { code, err } = await run(`nobody-${randomUUID()}`);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('OPENAI_API_KEY') });
  });
});

test('a worker that ended is not taken for one that works, though the server lists it for minutes', async () => {
  const rig: Rig = await startRig({ agents: agents() }, { identity: 'somebody@elsewhere' });
  const { taskQueue } = rig;
  await (await rig.client.start('a', 'what?')).result();
  await rig.stop();
  const client = await AgentClient.connect({ address, taskQueue });
  const started = await client.start('a', 'and now?');
  const said: string[] = [];
  const stop = warnWithoutWorker({ client, notify: (line) => said.push(line) }, () =>
    locationOfRun(client.temporal, started.id),
  );
  await vi.waitFor(() => expect(said).toHaveLength(1), 30_000);
  expect(said[0]).toBe(
    `No worker has taken what waits on task queue ${taskQueue}, though the server lists somebody@elsewhere: where that has ended, start one with \`reloop worker --task-queue ${taskQueue}\`.`,
  );
  stop();
  await started.cancel();
  await client.close();
});
