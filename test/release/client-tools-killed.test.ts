import { join } from 'node:path';
import * as react6 from '@ai-sdk/react';
import type { UIMessage } from 'ai';
import * as ai6 from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, reloop } from '../support/cli.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { fetchAiSdk7 } from '../support/npm-packages.ts';

/** A call waits for its client while the worker and the gateway are killed with SIGKILL. */
const CONFIG = 'test/fixtures/client-tools.config.ts';
const TOKEN = 'a-token-of-this-test';

let rig: CrashRig;
const gateways: Command[] = [];
beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies: ({ prompt }) =>
      prompt.includes('dark red')
        ? 'Dark red suits you.'
        : { text: '', toolCalls: [{ name: 'pick', arguments: { shade: 'dark' } }] },
  });
}, 60_000);
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.killGroup()));
  await rig.stop();
});

async function startGateway(): Promise<{ command: Command; url: string; client: OpenAI }> {
  const port = await freePort();
  const args = ['serve', '--port', String(port), '--config', CONFIG, '--address', rig.server.address];
  const command = reloop(args, { OPENAI_BASE_URL: rig.model.url, RELOOP_GATEWAY_TOKEN: TOKEN });
  gateways.push(command);
  await command.prints('Gateway ready');
  const url = `http://127.0.0.1:${port}`;
  return { command, url, client: new OpenAI({ baseURL: `${url}/v1`, apiKey: TOKEN }) };
}

type Pair = Awaited<ReturnType<typeof startBoth>>;

async function startBoth() {
  const worker = rig.startWorker();
  return { worker, ...(await startGateway()) };
}

/** Kills the worker and the gateway. Returns others. */
async function killBoth({ worker, command }: Pair): Promise<Pair> {
  await Promise.all([worker.killGroup(), command.killGroup()]);
  return startBoth();
}

test('the result is given at another gateway, to another worker', async () => {
  const first = await startBoth();
  const tools = [{ type: 'function' as const, function: { name: 'pick' } }];
  const question = { role: 'user' as const, content: 'Which colour suits me?' };
  const asked = await first.client.chat.completions.create({ model: 'shop', messages: [question], tools });
  const [message] = asked.choices.map((choice) => choice.message);
  const id = message?.tool_calls?.[0]?.id ?? '';
  const second = await killBoth(first);
  const result = { role: 'tool' as const, tool_call_id: id, content: 'dark red' };
  const messages = [question, ...(message ? [message] : []), result];
  const answer = await second.client.chat.completions.create({ model: 'shop', messages, tools });
  expect(answer.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'Dark red suits you.' },
  });
}, 120_000);

type Sdk = Pick<typeof ai6, 'DefaultChatTransport' | 'lastAssistantMessageIsCompleteWithToolCalls'> &
  Pick<typeof react6, 'Chat'>;
const fetched = await fetchAiSdk7();
const title = 'missing' in fetched ? ` (7 skipped: no AI SDK 7 here: ${fetched.missing})` : '';
async function sdk7(): Promise<Sdk> {
  const folder = 'missing' in fetched ? '' : fetched.folder;
  const load = (name: string) => import(join(folder, 'node_modules', name, 'dist/index.js')) as Promise<Sdk>;
  return { ...(await load('ai')), ...(await load('@ai-sdk/react')) };
}

describe.each([
  ['6', {}, () => ({ ...ai6, ...react6 })],
  ...('missing' in fetched ? [] : [['7', { 'X-AI-SDK': '7.0.173' }, sdk7] as const]),
] as const)(`a page of the AI SDK %s${title}`, (_version, header, load) => {
  test('gives its result at another gateway, to another worker', async () => {
    const { Chat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } = await load();
    let both = await startBoth();
    const inputSchema = { type: 'object', properties: { shade: { type: 'string' } }, required: ['shade'] };
    const asked: unknown[] = [];
    const chat = new Chat<UIMessage>({
      transport: new DefaultChatTransport({
        api: '/ui/shop/chat',
        headers: { authorization: `Bearer ${TOKEN}`, ...header },
        body: { clientTools: [{ name: 'pick', description: 'Picks.', inputSchema }] },
        fetch: (path, init) => fetch(new URL(path instanceof Request ? path.url : path, both.url), init),
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => void asked.push(toolCall),
    });
    await chat.sendMessage({ text: 'Which colour suits me?' });
    expect(chat.status).toBe('ready');
    const [part] = chat.lastMessage?.parts.filter(({ type }) => type === 'tool-pick') ?? [];
    expect(part).toMatchObject({ state: 'input-available', input: { shade: 'dark' } });
    expect(asked).toHaveLength(1);
    both = await killBoth(both);
    const toolCallId = part !== undefined && 'toolCallId' in part ? part.toolCallId : '';
    await chat.addToolOutput({ tool: 'pick', toolCallId, output: 'dark red' });
    await expect
      .poll(() => chat.lastMessage?.parts.at(-1), { timeout: 60_000 })
      .toMatchObject({ type: 'text', text: 'Dark red suits you.', state: 'done' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(asked).toHaveLength(1);
    await both.worker.killGroup();
  }, 120_000);
});
