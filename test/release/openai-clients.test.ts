import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { AgentDefinition } from '../../config/define.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { type GatewayServer, startGateway } from '../support/gateway-server.ts';
import { fetchClientsNode } from '../support/npm-packages.ts';
import { fetchClientsPython, fetchLlamaIndexPython } from '../support/python-venv.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, promptOf, toolCall } from '../support/scripts.ts';

/** Clients of OpenAI's API, as their packages come, and with the retries that they have by themselves. */
const clients = await fetchClientsPython();
const llamaIndex = await fetchLlamaIndexPython();
const node = await fetchClientsNode();

const TOKEN = 'a-token-of-this-test';
const FIRST = 'Let me look up the price.';
const ANSWER = 'A chair costs 50 euros.';
const BOTH = `${FIRST}\n\n${ANSWER}`;
const QUESTION = 'What does a chair cost?';

const price = defineTool({ name: 'price', description: 'Gives a price.', effects: 'none', run: () => 50 });
const refund = defineTool({
  name: 'refund',
  description: 'Pays back.',
  approval: 'always',
  run: () => 'paid',
});
const calling = (tool: string, text: string, answer: () => string) =>
  modelOf((step) => (step === '1' ? { text, toolCalls: [toolCall(tool)] } : answer()));
const refuse = () => {
  throw new ModelError('ModelBadRequest', 'It is retired.', { retryable: false });
};
const plain = { kind: 'tool-calling', onModelFailure: 'fail' } as const;
const agents = [
  { ...plain, name: 'desk', tools: [price], model: calling('price', FIRST, () => ANSWER) },
  { ...plain, name: 'payer', tools: [refund], model: calling('refund', 'One moment.', () => 'Paid.') },
  { ...plain, name: 'failing', model: modelOf(refuse) },
  { ...plain, name: 'breaking', tools: [price], model: calling('price', FIRST, refuse) },
  { ...plain, name: 'echo', model: modelOf((_step, request) => promptOf(request)) },
  {
    ...plain,
    name: 'sum',
    output: z.object({ total: z.number() }),
    model: modelOf(() => '```json\n{ "total": 7 }\n```'),
  },
] satisfies AgentDefinition[];

/** A server of its own: the others have runs with the same question. */
const rig = useRig({ agents }, { server: [] });
let gateway: GatewayServer;
beforeAll(async () => {
  gateway = await startGateway(rig.client, {
    tokens: [{ token: TOKEN, name: 'clients', scopes: ['admin'] }],
    agents,
  });
});
afterAll(() => gateway.stop());

/** Agent and question of each run that was asked for more than once. */
async function askedAgain(): Promise<string[]> {
  const asked = (await allOf(rig.client.list())).map(({ agent, input }) => `${agent}: ${input}`);
  return asked.filter((one, index) => asked.indexOf(one) !== index && !one.endsWith(QUESTION));
}

/** Runs a program of test/fixtures/programs. Returns the values that it prints, by their names. */
async function readBy(program: string, fixture: string, more: string[] = []): Promise<Map<string, unknown>> {
  const args = [`test/fixtures/programs/${fixture}`, `${gateway.url}/v1`, TOKEN, ...more];
  const { stdout } = await promisify(execFile)(program, args, { cwd: root, env: cleanEnv() });
  const lines = stdout.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const { name, value } = JSON.parse(line) as { name: string; value: unknown };
      return [name, value];
    }),
  );
}

const titleOf = (language: string, fetched: object) =>
  'missing' in fetched ? ` (skipped: no clients for ${language} here: ${String(fetched.missing)})` : '';

describe.skipIf('missing' in clients)(`a client for Python${titleOf('Python', clients)}`, () => {
  let read: Map<string, unknown>;
  beforeAll(async () => {
    read = await readBy('python' in clients ? clients.python : '', 'openai-clients.py');
  });

  test('of OpenAI reads texts apart, the events of tool calls, one structured answer, models and items', () => {
    expect(read.get('openai texts')).toEqual([BOTH, ['commentary', 'final_answer']]);
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
    expect(read.get('pydantic OpenAIChatModel')).toEqual([ANSWER, BOTH]);
    expect(read.get('pydantic OpenAIResponsesModel')).toEqual([ANSWER, ANSWER]);
  });

  test('of LangChain has its tools set aside, unless it demands a call', () => {
    expect(read.get('langchain')).toBe(BOTH);
    expect(read.get('langchain tools')).toBe(ANSWER);
    expect(read.get('langchain responses')).toBe(BOTH);
    expect(read.get('langchain required')).toContain('Leave out `tools`');
    expect(read.get('langchain look_up')).toContain('Leave out `tools`');
  });

  test('starts one run for each question, also when it fails or waits', async () => {
    for (const name of ['openai', 'langchain', 'langchain stream', 'pydantic']) {
      expect(read.get(`failing: ${name}`)).toContain('The run failed (ModelBadRequest)');
    }
    expect(read.get('payer: langchain')).toContain('waits for a person: 1.1 refund');
    expect(await askedAgain()).toEqual([]);
  });
});

describe.skipIf('missing' in llamaIndex)(`LlamaIndex${titleOf('LlamaIndex', llamaIndex)}`, () => {
  test('reads the answer, and starts one run for each question, also when it fails or waits', async () => {
    const read = await readBy('python' in llamaIndex ? llamaIndex.python : '', 'llama-index.py');
    expect(read.get('desk: llama-index whole')).toBe(ANSWER);
    expect(read.get('desk: llama-index streamed')).toBe(BOTH);
    for (const agent of ['failing', 'breaking']) {
      for (const way of ['whole', 'streamed']) {
        expect(read.get(`${agent}: llama-index ${way}`)).toContain('The run failed (ModelBadRequest)');
      }
    }
    expect(read.get('payer: llama-index whole')).toContain('waits for a person: 1.1 refund');
    expect(await askedAgain()).toEqual([]);
  });
});

describe.skipIf('missing' in node)(`a client for JavaScript${titleOf('JavaScript', node)}`, () => {
  let read: Map<string, unknown>;
  beforeAll(async () => {
    if (!('missing' in node)) read = await readBy(node.node, 'openai-clients.mjs', [node.folder]);
  });
  /** Returns the values that the clients with such names have read, each value once. */
  const readOf = (pattern: RegExp) => [
    ...new Set([...read].filter(([name]) => pattern.test(name)).map(([, value]) => value)),
  ];

  test('reads the answer', () => {
    expect(readOf(/^desk: .*(?:chat|langchain|compatible|agents) whole$/u)).toEqual([ANSWER]);
    expect(readOf(/^desk: .*responses/u)).toEqual([BOTH]);
    expect(readOf(/^desk: .*(?:chat|langchain|compatible) streamed$/u)).toEqual([BOTH]);
    expect(read.get('desk: agents streamed')).toBe(ANSWER);
  });

  test('reads that a run failed, but for LangChain, which passes over the end of such a stream', () => {
    const isPassedOver = (name: string) => name.endsWith('langchain responses streamed');
    const failed = [...read].filter(([name]) => /^(?:failing|breaking): /u.test(name) && !isPassedOver(name));
    expect(failed.length).toBeGreaterThan(40);
    for (const [name, value] of failed) {
      expect([name, value]).toEqual([
        name,
        expect.stringMatching(/run failed \(ModelBadRequest\)|response\.failed/u),
      ]);
    }
    expect(read.get('failing: langchain responses streamed')).toBe('');
  });

  test('of chat completions reads that a run waits', () => {
    const waiting = readOf(/^payer: .*(?:chat|langchain|compatible) (?:whole|streamed)$/u);
    for (const value of waiting) expect(value).toContain('waits for a person: 1.1 refund');
    expect(waiting.length).toBeGreaterThan(0);
    expect(readOf(/^payer: openai . responses/u)).toEqual(['completed: 1.1 refund: needs your approval']);
  });

  test('of the Agents SDK and the AI SDK asks for approvals in its own way', () => {
    expect(read.get('agents approvals')).toEqual([1, 'Paid.']);
    for (const name of ['ai 6', 'ai 7'])
      expect(read.get(`${name} approvals`)).toEqual([1, 'One moment.\n\nPaid.']);
  });

  test('of the AI SDK refers to earlier answers, which the next question comes after', () => {
    for (const name of ['ai 6', 'ai 7']) {
      expect(read.get(`${name} conversation`)).toMatch(
        new RegExp(`I am Ann, says ${name}\\..*"assistant".*Who am I, asks ${name}\\?`, 'u'),
      );
    }
  });

  test('starts one run for each question, also when it fails or waits', async () => {
    expect(read.size).toBeGreaterThan(80);
    expect(await askedAgain()).toEqual([]);
  });
});
