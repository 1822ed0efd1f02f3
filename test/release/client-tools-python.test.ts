import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { startGateway } from '../support/gateway-server.ts';
import { fetchClientsPython } from '../support/python-venv.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, promptOf } from '../support/scripts.ts';

/** LangChain's `bind_tools` and tools of OpenAI's Agents SDK, as the packages come. */
const fetched = await fetchClientsPython();
const python = 'python' in fetched ? fetched.python : '';
const title = 'missing' in fetched ? ` (skipped: no clients for Python here: ${fetched.missing})` : '';

const TOKEN = 'a-token-of-this-test';
const pick = { id: 'pick', name: 'pick', arguments: '{"shade":"dark"}' };
const model = modelOf((step, request) => {
  if (step === '1') return { toolCalls: [pick, { ...pick, id: 'other', arguments: '{"shade":"light"}' }] };
  return ['dark red', 'light red'].filter((text) => promptOf(request).includes(text)).join(', ');
});
const agents = [{ kind: 'tool-calling', name: 'shop', model, clientTools: true }] satisfies AgentDefinition[];

describe.skipIf(python === '')(`a client with tools of its own${title}`, () => {
  const rig = useRig({ agents });

  test('carries out the calls of an agent', async () => {
    const gateway = await startGateway(rig.client, {
      tokens: [{ token: TOKEN, name: 'python', scopes: ['run', 'read'], may: ['client-tools'] }],
      agents,
    });
    const program = ['test/fixtures/programs/client-tools.py', `${gateway.url}/v1`, TOKEN];
    const { stdout } = await promisify(execFile)(python, program, { cwd: root, env: cleanEnv() }).finally(
      () => gateway.stop(),
    );
    const read = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const ANSWER = 'dark red, light red';
    expect(read).toEqual([
      { name: 'chat', value: [2, ANSWER] },
      { name: 'responses', value: [2, ANSWER] },
      { name: 'agents', value: ANSWER },
    ]);
  });
});
