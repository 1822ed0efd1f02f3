import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { callbacksOf } from '../../../../cli/commands/serve.ts';
import { environmentKeyring } from '../../../../features/encryption/keys.ts';
import { environmentSigner } from '../../../../features/encryption/token-signer.ts';
import { tokenOf } from '../../../../cli/connection/token.ts';
import { credentialOf } from '../../../../cli/connection/context.ts';
import { webUiAddress } from '../../../../cli/connection/web-ui.ts';
import { namedQueue } from '../../../../cli/connection/task-queue.ts';
import { loadEnvFile } from '../../../../cli/shell/env-file.ts';
import { temporalSettings } from '../../../../client/connect/connect.ts';
import { azureOpenAI } from '../../../../adapters/models/openai/azure.ts';
import { openai } from '../../../../adapters/models/openai/openai.ts';
import { stateDirectory } from '../../../../local/server/project-folder.ts';
import { installedBinary } from '../../../../local/server/binary/binary.ts';
import { environmentLive } from '../../../../features/live/brokers.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { agent, loadedConfig } from '../../../support/config.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const folder = tempFolder();
const config = join(folder, 'reloop.config.ts');
writeFileSync(join(folder, 'package.json'), '{}');
afterEach(() => vi.unstubAllEnvs());

interface Row {
  variable: string;
  value: string;
  /** What the variable decides on. */
  read(): unknown;
  /** Where the variable has the value, and where it is not set. */
  effect: unknown;
  otherwise: unknown;
  /** Variables that the others would hide. */
  beside?: { [variable: string]: string };
}

const NO_MODEL =
  'No model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that speaks the OpenAI protocol.';
const AZURE = {
  AZURE_OPENAI_ENDPOINT: 'https://x.openai.azure.com',
  OPENAI_API_VERSION: '2025-01-01',
  AZURE_OPENAI_API_KEY: 'key',
};
const azureRows = Object.entries(AZURE).map(([variable, value]): Row => {
  const read = () => azureOpenAI().validate?.();
  return {
    variable,
    value,
    read,
    effect: undefined,
    otherwise: expect.stringContaining(variable),
    beside: AZURE,
  };
});

const queues = () => [
  namedQueue({ ...fakeIo(), env: process.env }, {}),
  loadedConfig({ agents: [agent()] }).taskQueue,
];

const KEY = Buffer.alloc(32).toString('base64');
const encryptsWith = async () => (await environmentKeyring()?.current())?.id;

async function isBinarySaid(): Promise<boolean> {
  const env = { PATH: '', HOME: folder, TEMPORAL_CLI_PATH: process.env['TEMPORAL_CLI_PATH'] };
  const said = await installedBinary(env).then(() => '', String);
  return said.includes('TEMPORAL_CLI_PATH is /no/such/temporal,');
}

const UI = 'http://127.0.0.1:8233';
const LOCAL = { embedded: { uiUrl: UI } } as Parameters<typeof webUiAddress>[1]; // of a local server

type Listed = [variable: string, value: string, read: () => unknown, effect: unknown, otherwise: unknown];
const listed: Listed[] = [
  ['RELOOP_STATE_DIR', 'state', () => stateDirectory(folder), join(folder, 'state'), join(folder, '.reloop')],
  ['TEMPORAL_ADDRESS', '127.0.0.1:1', () => temporalSettings({}).address, '127.0.0.1:1', undefined],
  ['TEMPORAL_NAMESPACE', 'mine', () => temporalSettings({}).namespace, 'mine', 'default'],
  ['TEMPORAL_API_KEY', 'key', () => temporalSettings({}).connection?.apiKey, 'key', undefined],
  ['TEMPORAL_TASK_QUEUE', 'mine', queues, ['mine', 'mine'], [undefined, 'reloop']],
  ['RELOOP_VERSION', '2', () => loadedConfig({ agents: [agent()] }).deployment?.version, '2', undefined],
  ['RELOOP_CREDENTIAL', 'secret', () => credentialOf(process.env), 'secret', undefined],
  ['RELOOP_ENCRYPTION_KEYS', `a:${KEY}`, encryptsWith, 'a', undefined],
  ['RELOOP_DEFER_KEY', KEY, () => environmentSigner() !== undefined, true, false],
  ...['RELOOP_CODEC_TOKEN', 'RELOOP_GATEWAY_TOKEN'].map((name): Listed => [
    name,
    'a-secret-of-mine',
    () => tokenOf(process.env, name),
    'a-secret-of-mine',
    expect.stringMatching(/^[0-9a-f]{32}$/u),
  ]),
  ['RELOOP_LIVE_URL', 'redis://127.0.0.1', () => environmentLive(), { url: 'redis://127.0.0.1' }, undefined],
  ['RELOOP_CALLBACK_SECRET', 'secret', () => callbacksOf(process.env, true), { secret: 'secret' }, true],
  ['RELOOP_WEB_UI', 'http://ui.example', () => webUiAddress(process.env, LOCAL), 'http://ui.example', UI],
  ['TEMPORAL_CLI_PATH', '/no/such/temporal', isBinarySaid, true, false],
  ['OPENAI_API_KEY', 'key', () => openai().validate?.(), undefined, NO_MODEL],
  ['OPENAI_BASE_URL', 'http://127.0.0.1:1/v1', () => openai().validate?.(), undefined, NO_MODEL],
];
const rows: Row[] = [
  ...listed.map(([variable, value, read, effect, otherwise]) => ({
    variable,
    value,
    read,
    effect,
    otherwise,
  })),
  ...azureRows,
];

/** All that these tests decide on themselves. */
function stubNothingBut(set: { [variable: string]: string | undefined }) {
  for (const { variable } of rows) vi.stubEnv(variable, set[variable]);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', join(folder, 'none.toml'));
}

describe.each(rows)('$variable', ({ variable, value, read, effect, otherwise, beside }) => {
  test.each([
    ['in the environment', value, effect],
    ['with blanks around it', `  ${value}\t`, effect],
    ['empty', '', otherwise],
    ['of blanks', '   ', otherwise],
    ['not set', undefined, otherwise],
  ])('%s', async (_, given, expected) => {
    stubNothingBut({ ...beside, [variable]: given });
    expect(await read()).toEqual(expected);
  });

  test.each([
    ['set', `${variable}=${value}`, effect],
    ['in quotes with blanks', `${variable}="  ${value} "`, effect],
    ['empty', `${variable}=`, otherwise],
  ])('%s in .env', async (_, line, expected) => {
    stubNothingBut({ ...beside, [variable]: undefined });
    writeFileSync(join(folder, '.env'), `${line}\n`);
    loadEnvFile(process.env, config);
    expect(await read()).toEqual(expected);
  });
});

/** Variables of other programs: they are not for `.env`. Of a tool's own key its test speaks. */
const OF_OTHERS = ['SERPAPI_API_KEY'];

test('each variable that a source names has a row', () => {
  const root = resolve(import.meta.dirname, '../../../..');
  const folders = ['agent', 'workflows', 'activities', 'history', 'adapters', 'config', 'worker', 'features'];
  const name = /'((?:[A-Z]+_)*(?:RELOOP|OPENAI|TEMPORAL|API)_[A-Z_]+)'/gu;
  const named = [...folders, 'local', 'client', 'cli'].flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [...readFileSync(join(root, place, file), 'utf8').matchAll(name)])
      .map(([, variable = '']) => variable),
  );
  const known = [...rows.map(({ variable }) => variable), ...OF_OTHERS];
  expect([...new Set(named)].filter((variable) => !known.includes(variable))).toEqual([]);
  expect(named).toContain('RELOOP_STATE_DIR');
});
