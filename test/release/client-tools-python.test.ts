import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { startGateway } from '../support/gateway-server.ts';
import { fetchClientsPython } from '../support/python-venv.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, promptOf } from '../support/scripts.ts';

/** OpenAI's client, LangChain's `bind_tools`, and tools and handoffs of OpenAI's Agents SDK, as the packages come. */
const fetched = await fetchClientsPython();
const python = 'python' in fetched ? fetched.python : '';
const title = 'missing' in fetched ? ` (skipped: no clients for Python here: ${fetched.missing})` : '';

const TOKEN = 'a-token-of-this-test';
const pick = { id: 'pick', name: 'pick', arguments: '{"shade":"dark"}' };
const model = modelOf((step, request) => {
  if (step === '1') return { toolCalls: [pick, { ...pick, id: 'other', arguments: '{"shade":"light"}' }] };
  return ['dark red', 'light red'].filter((text) => promptOf(request).includes(text)).join(', ');
});
/** Uses a tool of the client, then a handoff to another agent of the client, and says what it has seen. */
const handing = modelOf((step, request) => {
  if (step === '1') return { toolCalls: [pick] };
  if (step === '2') return { toolCalls: [{ id: 'h', name: 'transfer_to_stylist', arguments: '{}' }] };
  return ['dark red', 'Stylist'].filter((text) => promptOf(request).includes(text)).join(', ');
});
const plain = { kind: 'tool-calling', clientTools: true } as const;
const agents = [
  { ...plain, name: 'shop', model },
  { ...plain, name: 'desk', model: handing },
] satisfies AgentDefinition[];

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
      { name: 'openai chat False', value: [2, ANSWER] },
      { name: 'openai responses False', value: [2, ANSWER] },
      { name: 'openai chat True', value: [2, ANSWER] },
      { name: 'openai responses True', value: [2, ANSWER] },
      { name: 'chat', value: [2, ANSWER] },
      { name: 'responses', value: [2, ANSWER] },
      { name: 'agents', value: ANSWER },
      { name: 'handoff responses', value: ['Stylist', 'dark red, Stylist'] },
      { name: 'handoff chat', value: ['Stylist', 'dark red, Stylist'] },
    ]);
  });
});
