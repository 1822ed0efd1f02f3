import { Chat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  type UIMessage,
  type UIMessageChunk,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from 'ai';
import { expect, test } from 'vitest';
import { type Who, useFrontRig } from '../support/front-rig.ts';

const front = useFrontRig();
const { rig, gate } = front;

/** A chat as `useChat` has it. */
function chatWith(agent: string, who: Who = 'root', id?: string): Chat<UIMessage> {
  return new Chat<UIMessage>({
    ...(id !== undefined && { id }),
    transport: new DefaultChatTransport({
      api: `${front.url}/ui/${agent}/chat`,
      headers: front.headersOf(who),
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}

const shown = ({ messages }: Chat<UIMessage>) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return isToolUIPart(part) ? [`${part.toolCallId.replace(/^.*:/u, '')} ${part.state}`] : [];
    }),
  ]);

const approvalOf = ({ messages }: Chat<UIMessage>) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (isToolUIPart(part) && part.approval ? [part.approval.id] : [])),
  )[0] ?? '';

test('a question is a run, and the chat is a session that keeps the conversation', async () => {
  const chat = chatWith('echo', 'ann', 'talk');
  await chat.sendMessage({ text: 'I am Ann.' });
  const other = chatWith('echo', 'ann', 'talk');
  await other.sendMessage({ text: 'Who?' });
  expect(shown(other)[1]?.[1]).toMatch(/I am Ann\..*Who\?/u);
  const { runs } = await rig.client.session('front-acme.talk').describe();
  expect(runs).toEqual([chat.lastMessage?.id, other.lastMessage?.id]);
  await chatWith('echo', 'otto', 'talk').resumeStream();
  expect(shown(chat)).toHaveLength(2);
});

test('a message that is sent again gives the same run, and a message is not changed', async () => {
  const chat = chatWith('echo');
  await chat.sendMessage({ text: 'What?' });
  const first = structuredClone(chat.messages);
  const again = chatWith('echo', 'root', chat.id);
  again.messages = first.slice(0, 1);
  await again.sendMessage();
  expect(again.messages).toEqual(first);
  await chat.regenerate();
  expect(chat.messages).toEqual(first);
  await chat.sendMessage({ text: 'Where?', messageId: first[0]?.id ?? '' });
  expect(chat.error?.message).toContain('"code":"KeyUsed"');
});

test.each([
  [true, ['assistant', 'One moment.', '1.1 output-available', 'done']],
  [false, ['assistant', 'One moment.', '1.1 output-denied', 'done']],
])('a call waits for approval, and the message goes on with the answer %s', async (approved, message) => {
  const chat = chatWith('careful');
  await chat.sendMessage({ text: 'Do it.' });
  expect(shown(chat)[1]).toEqual(['assistant', 'One moment.', '1.1 approval-requested']);
  await chat.addToolApprovalResponse({ id: approvalOf(chat), approved });
  await expect.poll(() => shown(chat)[1], { timeout: 10_000 }).toEqual(message);
  expect(chat.messages).toHaveLength(2);
  expect(chat.messages.flatMap(({ id }) => id)).toContain(chat.lastMessage?.id);
});

test('an approval needs the scope, and a run of the tenant', async () => {
  const chat = chatWith('careful', 'ann');
  await chat.sendMessage({ text: 'Do it.' });
  for (const [who, code] of [
    ['otto', 'RunNotFound'],
    ['rita', 'Forbidden'],
  ] as const) {
    const other = chatWith('careful', who, chat.id);
    other.messages = structuredClone(chat.messages);
    await other.addToolApprovalResponse({ id: approvalOf(chat), approved: true });
    await expect.poll(() => other.error?.message, { timeout: 10_000 }).toContain(`"code":"${code}"`);
  }
});

test('an approval that somebody else gave shows when the stream is resumed', async () => {
  const chat = chatWith('careful');
  await chat.sendMessage({ text: 'Do it.' });
  await rig.client.get(chat.lastMessage?.id ?? '').decide('1.1', { type: 'approve' });
  await chat.resumeStream();
  expect(shown(chat)[1]).toEqual(['assistant', 'One moment.', '1.1 output-available', 'done']);
});

test('only a page that names its version gets the chunks that version 6 refuses', async () => {
  const chat = chatWith('careful');
  await chat.sendMessage({ text: 'Do it.' });
  const run = rig.client.get(chat.lastMessage?.id ?? '');
  await run.say('Hurry.');
  const typesOf = async (version?: string) => {
    const headers = { ...front.headersOf('root'), ...(version !== undefined && { 'x-ai-sdk': version }) };
    const response = await fetch(`${front.url}/ui/careful/chat/${chat.id}/stream`, { headers });
    const lines = (await response.text()).matchAll(/^data: (\{.*\})$/gmu);
    const chunks = [...lines].map(([, line = '']) => JSON.parse(line) as UIMessageChunk);
    return chunks.map((chunk) => (chunk.type === 'finish' ? `finish ${chunk.finishReason}` : chunk.type));
  };
  await run.decide('1.1', { type: 'approve' });
  await run.result();
  const [older, newer] = [await typesOf('7.0.162'), await typesOf('7.0.163')];
  expect(newer.filter((type) => !older.includes(type))).toEqual([
    'tool-approval-response',
    'steering-message',
  ]);
  const at = newer.indexOf('steering-message');
  expect(newer.slice(at - 1, at + 3)).toEqual([
    'finish-step',
    'steering-message',
    'start-step',
    'text-start',
  ]);
  expect(await typesOf()).toEqual(older);

  await chat.sendMessage({ text: 'Do it again.' });
  const cancelled = rig.client.get(chat.lastMessage?.id ?? '');
  await cancelled.cancel();
  await expect(cancelled.result()).rejects.toThrow();
  expect((await typesOf()).at(-1)).toBe('finish other');
  expect((await typesOf('7.1.0')).at(-1)).toBe('finish interrupted');
});

test('a version that cannot be read is refused before the run starts', async () => {
  const chat = new Chat<UIMessage>({
    transport: new DefaultChatTransport({
      api: `${front.url}/ui/echo/chat`,
      headers: { ...front.headersOf('ann'), 'X-AI-SDK': '7' },
    }),
  });
  await chat.sendMessage({ text: 'What?' });
  expect(chat.error?.message).toContain('such as 7.0.163');
  await expect(rig.client.session(`front-acme.${chat.id}`).describe()).rejects.toThrow();
});

test('a failed call is a data part, and a decision continues the stream', async () => {
  const chat = chatWith('printer');
  const sent = chat.sendMessage({ text: 'Print.' });
  const waiting = () => chat.lastMessage?.parts.find(({ type }) => type === 'data-waiting');
  await expect.poll(waiting, { timeout: 10_000 }).toMatchObject({
    data: { call: '1.1', text: 'failed', error: 'no ink', decisions: expect.arrayContaining(['retry']) },
  });
  front.repair();
  const { data } = waiting() as { data: { run: string; call: string; n: number } }; // just compared
  const response = await fetch(`${front.url}/runs/${data.run}/decisions`, {
    method: 'POST',
    headers: { ...front.headersOf('root'), 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'retry', call: data.call, wait: data.n }),
  });
  expect(response.status).toBe(200);
  await sent;
  expect(waiting()).toMatchObject({ data: null });
  expect(shown(chat)[1]?.at(-1)).toBe('done');
});

test('a stream that is lost in the middle of a text is resumed at another gateway, and no text is doubled', async () => {
  const chat = chatWith('slow');
  const sent = chat.sendMessage({ text: 'x' });
  await expect.poll(() => shown(chat)[1], { timeout: 10_000 }).toEqual(['assistant', 'The first half, ']);
  front.cut();
  await sent;
  expect(chat.status).toBe('error');
  const resumed = chat.resumeStream();
  await gate.open();
  await resumed;
  expect(shown(chat)).toEqual([
    ['user', 'x'],
    ['assistant', 'The first half, and the second.'],
  ]);
});

test('a chat without a run has nothing to resume', async () => {
  const chat = chatWith('echo');
  await chat.resumeStream();
  expect([chat.status, chat.messages]).toEqual(['ready', []]);
});

test.each([
  ['an agent that is not served', 'no', {}, '"code":"AgentNotFound"'],
  [
    'a file that is not base64',
    'echo',
    { mediaType: 'text/csv', url: 'data:text/csv,a' },
    'the data: URL is not base64',
  ],
])('%s is refused', async (_what, agent, file, text) => {
  const chat = chatWith(agent);
  const files = 'url' in file ? [{ type: 'file' as const, mediaType: 'text/csv', url: file.url }] : [];
  await chat.sendMessage({ text: 'x', files });
  expect(chat.error?.message).toContain(text);
});
