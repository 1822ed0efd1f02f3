import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connectTo } from '../../client/connect/connect.ts';
import { AgentClient } from '../../client/api/agent-client.ts';
import { EncryptionKeyMissing, noKeys } from '../../features/encryption/keys.ts';
import config, { planted } from '../fixtures/configs/encrypted.config.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { type Rig, useRig, waitOf } from '../support/rig.ts';
import { tempFolder } from '../support/temp-folder.ts';

const folders = { encrypted: tempFolder(), clear: tempFolder() };
const server = (folder: string) => ['--db-filename', join(folder, 'temporal.db')];
const { encryption: _, ...inClear } = config;
const rigs = {
  encrypted: useRig(config, { server: server(folders.encrypted) }),
  clear: useRig(inClear, { server: server(folders.clear) }),
};
const FILE = 'test/fixtures/configs/encrypted.config.ts';

/** Runs that write all kinds of contents into the server's database. */
async function everything(rig: Rig): Promise<void> {
  const run = await rig.client.start('clerk', planted.question, {
    id: 'clerk-1',
    context: { user: planted.context },
  });
  const { error } = await waitOf(run, { call: '2.1' });
  expect(error?.message).toBe(planted.error);
  await run.say(planted.said);
  // The next model call reads the transcript from history.
  await rig.restart();
  await run.decide('2.1', { type: 'retry', input: planted.retried });
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe(planted.answer);
  expect(intermediateSteps.map(({ observation }) => observation)).toEqual([
    planted.observation,
    `resumed with {"at":"${planted.cursor}"}`,
  ]);
  await run.fork({ step: 2, id: 'fork-1', say: planted.said });
  const fork = rig.client.get('fork-1');
  await waitOf(fork, { call: '2.1' });
  await fork.rewind({ step: 1 });
  // Refused until the call waits again.
  await vi.waitFor(() => fork.decide('2.1', { type: 'skip' }), { timeout: 20_000, interval: 100 });
  expect((await fork.result()).output).toBe(planted.answer);
  await rig.client.start('busy', 'x', { id: 'busy-1' });
  for await (const event of rig.client.get('busy-1').events()) {
    if (event.type === 'tool_progress' && event.text === planted.progress) break;
  }
  await expect(rig.client.run('doomed', 'x', { id: 'doomed-1' })).rejects.toThrow(planted.fatal);
  await expect(rig.client.run('speechless', 'x')).rejects.toThrow(planted.failure);
  expect((await rig.client.run('office', 'x')).output).toBe('done');
  await rig.client.run('friend', planted.asked, { session: 'talk' });
  await rig.client.run('friend', 'and?', { session: 'talk' });
  const { messages } = await rig.client.session('talk').describe();
  expect(JSON.stringify(messages)).toContain(planted.remembered);
}

/** The planted texts that are in the files of the server's database. */
function found(folder: string): string[] {
  // The database's journal comes and goes.
  const files = readdirSync(folder).filter((file) => !file.endsWith('-journal'));
  expect(files).not.toEqual([]);
  const texts = files.map((file) => readFileSync(join(folder, file), 'latin1'));
  return Object.keys(planted).filter((name) =>
    texts.some((text) => text.includes(planted[name as keyof typeof planted])),
  );
}

afterAll(() => Promise.all(Object.values(rigs).map(({ client }) => client.get('busy-1').cancel())));

beforeAll(async () => {
  await everything(rigs.clear);
  await everything(rigs.encrypted);
}, 120_000);

describe('the files of the database', () => {
  test('have every planted text without encryption', () => {
    expect(found(folders.clear)).toEqual(Object.keys(planted));
  });

  test('have none of them with encryption', () => {
    expect(found(folders.encrypted)).toEqual([]);
  });
});

describe('the command line', () => {
  const env = () => ({ TEMPORAL_ADDRESS: rigs.encrypted.client.address });

  test.each([
    ['the config', () => reloopHere(['show', 'clerk-1', '--json', '--config', FILE], env())],
    [
      'the variable',
      () => {
        const keys = `newer:${Buffer.alloc(32, 'n').toString('base64')}`;
        return reloopHere(['show', 'clerk-1', '--json'], { ...env(), RELOOP_ENCRYPTION_KEYS: keys });
      },
    ],
  ])('reads a run with the keys of %s', async (_name, show) => {
    const { code, stdout } = await show();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ input: planted.question, output: planted.answer });
  });

  test.each([
    {
      title: 'names the key that encrypts',
      file: FILE,
      says: 'encrypted with the key \\"newer\\"',
      state: 'ok',
    },
    {
      title: 'names a key that is missing',
      file: 'test/fixtures/configs/kind.config.ts',
      says: 'This is encrypted with the key \\"newer\\", and there are no keys here',
      state: 'problem',
    },
  ])('doctor $title', async ({ file, says, state }) => {
    const { client } = rigs.encrypted;
    const { stdout } = await reloopHere(['doctor', '--json', '--config', file], {
      ...env(),
      TEMPORAL_TASK_QUEUE: client.taskQueue,
    });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    const [check] = checks.filter(({ name }) => name === 'encryption');
    expect(check).toMatchObject({ state });
    expect(JSON.stringify(check)).toContain(says);
  });

  test('exports prompts, lists runs, and follows a failed run', async () => {
    const flags = ['--config', FILE];
    const { stdout } = await reloopHere(['export', 'clerk-1', '--prompts', ...flags], env());
    expect(stdout).toContain(planted.system);
    expect(stdout).toContain(planted.cursor);
    const list = await reloopHere(['list', '--json', ...flags], env());
    expect(list.stdout).toContain(planted.question);
    const watched = await reloopHere(['watch', 'doomed-1', ...flags], env());
    expect(watched.code).toBe(1);
    expect(watched.stderr).toContain(planted.fatal);
  });

  test('encrypts what it sends to a run, with the keys of the config', async () => {
    const { client } = rigs.encrypted;
    const run = await client.start('clerk', planted.question);
    await waitOf(run, { call: '2.1' });
    const secret = 'planted-by-command-9f1';
    const skipped = await reloopHere(['skip', run.id, '2.1', '--reason', secret, '--config', FILE], env());
    expect(skipped.stderr).toContain('Recorded');
    await run.result();
    const text = readdirSync(folders.encrypted).map((file) =>
      readFileSync(join(folders.encrypted, file), 'latin1'),
    );
    expect(text.join('')).not.toContain(secret);
    expect(JSON.stringify((await run.describe()).intermediateSteps)).toContain(secret);
  });

  test('names the missing key, and lists runs without it', async () => {
    const other = { ...env(), RELOOP_ENCRYPTION_KEYS: `other:${Buffer.alloc(32).toString('base64')}` };
    const shown = await reloopHere(['show', 'clerk-1'], other);
    expect(shown.code).toBe(2);
    expect(shown.stderr).toContain('encrypted with the key "newer", and the keys here are other');
    const listed = await reloopHere(['list'], other);
    expect(listed).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain('(encrypted with the key newer)');
  });
});

describe('a client', () => {
  test('without keys names the key id', async () => {
    const { address } = rigs.encrypted.client;
    const temporal = await connectTo(address, 'default', {}, { keys: noKeys });
    const client = new AgentClient(temporal, address, 'x');
    await expect(client.get('clerk-1').describe()).rejects.toThrow(EncryptionKeyMissing);
    await client.close();
  });

  test('with keys reads runs from before the encryption, beside new ones', async () => {
    const { address } = rigs.clear.client;
    const client = await AgentClient.connect({ address, encryption: config.encryption });
    expect(await client.get('clerk-1').describe()).toMatchObject({ input: planted.question });
    const { runs } = await client.listPage();
    expect(runs.map(({ input }) => input)).toContain(planted.question);
    await client.close();
  });

  test('that starts a run in clear, as by hand, gets an answer, and the rest is encrypted', async () => {
    const { client, temporal, taskQueue } = rigs.encrypted;
    const plain = await connectTo(client.address, 'default', {}, { keys: noKeys });
    const workflowId = 'by-hand';
    const args = [{ agent: 'friend', input: 'hello' }];
    await plain.workflow.start('agentRun', { workflowId, taskQueue, args });
    expect((await client.get(workflowId).result()).output).toBe(planted.remembered);
    const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory();
    expect(JSON.stringify(events)).not.toContain(
      Buffer.from(planted.remembered).toString('base64').slice(0, -4),
    );
    await plain.connection.close();
  });

  test('with keys that cannot be used connects to nothing', async () => {
    const encryption = { keys: { short: 'AAAA' } };
    const connecting = AgentClient.connect({ address: '127.0.0.1:1', encryption });
    await expect(connecting).rejects.toThrow('the key "short" has 3 bytes');
  });
});
