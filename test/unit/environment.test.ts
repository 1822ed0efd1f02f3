import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { namedQueue } from '../../cli/connection/task-queue.ts';
import { loadEnvFile } from '../../cli/shell/env-file.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { azureOpenAI } from '../../models/openai/azure.ts';
import { openai } from '../../models/openai/openai.ts';
import { stateDirectory } from '../../server/project-folder.ts';
import { installedBinary } from '../../server/binary/binary.ts';
import { fakeIo } from '../support/fake-io.ts';
import { agent, loadedConfig } from '../support/config.ts';
import { tempFolder } from '../support/temp-folder.ts';

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
const azure = (variable: keyof typeof AZURE): Row => ({
  variable,
  value: AZURE[variable],
  read: () => azureOpenAI().validate?.(),
  effect: undefined,
  otherwise: expect.stringContaining(variable),
  beside: AZURE,
});

const rows: Row[] = [
  {
    variable: 'RELOOP_STATE_DIR',
    value: 'my state',
    read: () => stateDirectory(folder),
    effect: join(folder, 'my state'),
    otherwise: join(folder, '.reloop'),
  },
  {
    variable: 'TEMPORAL_ADDRESS',
    value: '127.0.0.1:1',
    read: () => temporalSettings({}).address,
    effect: '127.0.0.1:1',
    otherwise: undefined,
  },
  {
    variable: 'TEMPORAL_NAMESPACE',
    value: 'mine',
    read: () => temporalSettings({}).namespace,
    effect: 'mine',
    otherwise: 'default',
  },
  {
    variable: 'TEMPORAL_API_KEY',
    value: 'key',
    read: () => temporalSettings({}).connection?.apiKey,
    effect: 'key',
    otherwise: undefined,
  },
  {
    variable: 'TEMPORAL_TASK_QUEUE',
    value: 'mine',
    read: () => [
      namedQueue({ ...fakeIo(), env: process.env }, {}),
      loadedConfig({ agents: [agent()] }).taskQueue,
    ],
    effect: ['mine', 'mine'],
    otherwise: [undefined, 'reloop'],
  },
  {
    variable: 'TEMPORAL_CLI_PATH',
    value: '/no/such/temporal',
    read: () =>
      installedBinary({
        PATH: '',
        HOME: folder,
        TEMPORAL_CLI_PATH: process.env['TEMPORAL_CLI_PATH'],
      }).catch((error: unknown) => String(error).includes('TEMPORAL_CLI_PATH is /no/such/temporal,')),
    effect: true,
    otherwise: undefined,
  },
  {
    variable: 'OPENAI_API_KEY',
    value: 'key',
    read: () => openai().validate?.(),
    effect: undefined,
    otherwise: NO_MODEL,
  },
  {
    variable: 'OPENAI_BASE_URL',
    value: 'http://127.0.0.1:1/v1',
    read: () => openai().validate?.(),
    effect: undefined,
    otherwise: NO_MODEL,
  },
  azure('AZURE_OPENAI_ENDPOINT'),
  azure('OPENAI_API_VERSION'),
  azure('AZURE_OPENAI_API_KEY'),
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
  const root = resolve(import.meta.dirname, '../..');
  const folders = ['agent', 'workflows', 'activities', 'history', 'models', 'tools', 'config', 'worker'];
  const named = [...folders, 'server', 'client', 'embedded', 'cli', 'testing'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(root, name, file), 'utf8').matchAll(
          /'((?:[A-Z]+_)*(?:RELOOP|OPENAI|TEMPORAL|API)_[A-Z_]+)'/gu,
        ),
      ])
      .map(([, variable = '']) => variable),
  );
  const known = [...rows.map(({ variable }) => variable), ...OF_OTHERS];
  expect([...new Set(named)].filter((variable) => !known.includes(variable))).toEqual([]);
  expect(named).toContain('RELOOP_STATE_DIR');
});
