import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentDefinition } from '../../config/define.ts';
import { defineTool } from '../../tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { type GatewayServer, startGateway } from '../support/gateway-server.ts';
import { fetchClientsPython } from '../support/python-venv.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

/** Clients of OpenAI's API, as their packages come: OpenAI's own, its Agents SDK, pydantic-ai and LangChain. */
const fetched = await fetchClientsPython();
const python = 'python' in fetched ? fetched.python : '';
const title = 'missing' in fetched ? ` (skipped: no clients for Python here: ${fetched.missing})` : '';

const TOKEN = 'a-token-of-this-test';
const FIRST = 'Let me look up the price.';
const ANSWER = 'A chair costs 50 euros.';
const QUESTION = 'What does a chair cost?';

const price = defineTool({ name: 'price', description: 'Gives a price.', effects: 'none', run: () => 50 });
const refund = defineTool({
  name: 'refund',
  description: 'Pays back.',
  approval: 'always',
  run: () => 'paid',
});
const calling = (tool: string, text: string, answer: string) =>
  modelOf((step) => (step === '1' ? { text, toolCalls: [toolCall(tool)] } : answer));
const plain = { kind: 'tool-calling' } as const;
const agents = [
  { ...plain, name: 'desk', tools: [price], model: calling('price', FIRST, ANSWER) },
  { ...plain, name: 'payer', tools: [refund], model: calling('refund', 'One moment.', 'Paid.') },
  {
    ...plain,
    name: 'sum',
    output: z.object({ total: z.number() }),
    model: modelOf(() => '```json\n{ "total": 7 }\n```'),
  },
] satisfies AgentDefinition[];

describe.skipIf(python === '')(`a client of OpenAI's API${title}`, () => {
  const rig = useRig({ agents });
  let gateway: GatewayServer;
  const read = new Map<string, unknown>();
  beforeAll(async () => {
    gateway = await startGateway(rig.client, {
      tokens: [{ token: TOKEN, name: 'python', scopes: ['admin'] }],
      agents,
    });
    const program = ['test/fixtures/programs/openai-clients.py', `${gateway.url}/v1`, TOKEN];
    const { stdout } = await promisify(execFile)(python, program, { cwd: root, env: cleanEnv() });
    for (const line of stdout.trim().split('\n')) {
      const { name, value } = JSON.parse(line) as { name: string; value: unknown };
      read.set(name, value);
    }
  });
  afterAll(() => gateway.stop());

  test('of OpenAI reads texts apart, the events of tool calls, one structured answer, models and items', () => {
    expect(read.get('openai texts')).toEqual([`${FIRST}\n\n${ANSWER}`, ['commentary', 'final_answer']]);
    expect(read.get('openai stream')).toEqual([
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
    ]);
    expect(read.get('openai model')).toBe('desk');
    expect(read.get('openai items')).toEqual([QUESTION]);
    expect(read.get('openai structured')).toBe('{"total":7}');
  });

  test('of the Agents SDK asks for approvals in its own way, streams, and is told that handoffs have no effect', () => {
    expect(read.get('agents approvals')).toEqual([1, 'Paid.']);
    expect(read.get('agents stream')).toBe(ANSWER);
    expect(read.get('agents handoff')).toContain('The agent has its own tools');
  });

  test('of pydantic-ai reads the answer whole and streamed, by both APIs', () => {
    expect(read.get('pydantic OpenAIChatModel')).toEqual([ANSWER, `${FIRST}\n\n${ANSWER}`]);
    expect(read.get('pydantic OpenAIResponsesModel')).toEqual([ANSWER, ANSWER]);
  });

  test('of LangChain has its tools set aside, unless it demands a call', () => {
    expect(read.get('langchain')).toBe(`${FIRST}\n\n${ANSWER}`);
    expect(read.get('langchain tools')).toBe(ANSWER);
    expect(read.get('langchain responses')).toBe(`${FIRST}\n\n${ANSWER}`);
    expect(read.get('langchain required')).toContain('Leave out `tools`');
    expect(read.get('langchain look_up')).toContain('Leave out `tools`');
  });

  test('starts one run for each question', async () => {
    const runs = await allOf(rig.client.list({ agent: 'payer' }));
    expect(runs).toHaveLength(1);
  });
});
