import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { startGateway } from '../support/gateway-server.ts';
import { fetchCopilotKit } from '../support/npm-packages.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, promptOf } from '../support/scripts.ts';

/** CopilotKit as the packages come: its runtime, and the core that its hooks use. */
const fetched = await fetchCopilotKit();
const title = 'missing' in fetched ? ` (skipped: no CopilotKit here: ${fetched.missing})` : '';

const TOKEN = 'a-token-of-this-test';
const pick = (shade: string) => ({ id: shade, name: 'pick', arguments: JSON.stringify({ shade }) });
const model = modelOf((step, request) => {
  if (step === '1') return { text: 'Let us see.', toolCalls: [pick('dark'), pick('light')] };
  const seen = ['dark red', 'light red', 'The cart: three hats'];
  return seen.filter((text) => promptOf(request).includes(text)).join(', ');
});
const agents = [{ kind: 'tool-calling', name: 'shop', model, clientTools: true }] satisfies AgentDefinition[];

describe.skipIf('missing' in fetched)(`CopilotKit${title}`, () => {
  const rig = useRig({ agents });

  test('carries out its frontend tools, and shows its context to the model', async () => {
    const gateway = await startGateway(rig.client, {
      tokens: [{ token: TOKEN, name: 'copilot', scopes: ['run', 'read'], may: ['client-tools'] }],
      agents,
    });
    const folder = 'missing' in fetched ? '' : fetched.folder;
    const program = ['test/fixtures/programs/copilotkit.mjs', folder, `${gateway.url}/ag-ui/shop`, TOKEN];
    const { stdout } = await promisify(execFile)(process.execPath, program, {
      cwd: root,
      env: { ...cleanEnv(), COPILOTKIT_TELEMETRY_DISABLED: 'true', DO_NOT_TRACK: '1' },
      timeout: 60_000,
    }).finally(() => gateway.stop());
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
      calls: ['dark', 'light'],
      messages: [
        ['user', 'Which colour suits me?'],
        ['assistant', 'Let us see.'],
        ['tool', 'dark red'],
        ['tool', 'light red'],
        ['assistant', 'dark red, light red, The cart: three hats'],
      ],
    });
  });
});
