import { Chat } from '@ai-sdk/react';
import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { a2aClient, answerOf, sent } from '../support/a2a-client.ts';
import { aguiFetch } from '../support/agui-fetch.ts';
import { useFrontRig } from '../support/front-rig.ts';

const front = useFrontRig();
const PDF = Buffer.from('%PDF-1.7 a bill').toString('base64');
const CSV = Buffer.from('month,total\nmay,5').toString('base64');
const WAV = Buffer.from('RIFF\x01\x02\x03\x04WAVEfmt ', 'latin1').toString('base64');

/** Asks the agent, which answers with its prompt, about a file with the protocol's own client. */
type Asker = (file: { name: string; mediaType: string; base64: string }) => Promise<string>;

const openai = () =>
  new OpenAI({
    baseURL: `${front.url}/v1`,
    apiKey: front.headersOf('root').authorization.slice('Bearer '.length),
    maxRetries: 0,
  });
const urlOf = ({ mediaType, base64 }: Parameters<Asker>[0]) => `data:${mediaType};base64,${base64}`;

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const askers: [protocol: string, ask: Asker][] = [
  [
    '/runs',
    async ({ name, base64 }) => {
      const input = [
        { type: 'text', text: 'Read it.' },
        { type: 'file', file: base64, filename: name },
      ];
      const headers = { ...front.headersOf('root'), 'content-type': 'application/json' };
      const body = JSON.stringify({ agent: 'echo', input });
      const started = await fetch(`${front.url}/runs`, { method: 'POST', headers, body });
      const { id } = (await started.json()) as { id: string };
      return textOf((await front.rig.client.get(id).result()).output);
    },
  ],
  [
    'OpenAI, chat',
    async ({ name, mediaType, base64 }) => {
      const part = mediaType.startsWith('audio/')
        ? ({ type: 'input_audio', input_audio: { data: base64, format: 'wav' } } as const)
        : ({
            type: 'file',
            file: { filename: name, file_data: urlOf({ name, mediaType, base64 }) },
          } as const);
      const content = [{ type: 'text', text: 'Read it.' } as const, part];
      const messages = [{ role: 'user' as const, content }];
      const { choices } = await openai().chat.completions.create({ model: 'echo', messages });
      return choices[0]?.message.content ?? '';
    },
  ],
  [
    'OpenAI, responses',
    async (file) => {
      const content = [
        { type: 'input_text', text: 'Read it.' } as const,
        { type: 'input_file', filename: file.name, file_data: urlOf(file) } as const,
      ];
      const input = [{ role: 'user' as const, content }];
      return (await openai().responses.create({ model: 'echo', input })).output_text;
    },
  ],
  [
    'the AI SDK',
    async (file) => {
      const api = `${front.url}/ui/echo/chat`;
      const transport = new DefaultChatTransport({ api, headers: front.headersOf('root') });
      const chat = new Chat({ transport });
      const { mediaType } = file;
      const sentFile = { type: 'file' as const, mediaType, filename: file.name, url: urlOf(file) };
      await chat.sendMessage({ text: 'Read it.', files: [sentFile] });
      const parts = chat.lastMessage?.parts ?? [];
      return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    },
  ],
  [
    'AG-UI',
    async ({ name, mediaType, base64 }) => {
      const url = `${front.url}/ag-ui/echo`;
      const agent = new HttpAgent({ url, fetch: aguiFetch, headers: front.headersOf('root') });
      const type = mediaType.startsWith('audio/') ? ('audio' as const) : ('document' as const);
      const source = { type: 'data' as const, value: base64, mimeType: mediaType };
      const content = [
        { type: 'text' as const, text: 'Read it.' },
        { type, source, metadata: { filename: name } },
      ];
      agent.addMessage({ id: `file-${name}`, role: 'user', content });
      await agent.runAgent();
      return textOf(agent.messages.at(-1)?.content);
    },
  ],
  [
    'A2A',
    async ({ name, mediaType, base64 }) => {
      const client = await a2aClient(`${front.url}/a2a/echo/`, { headers: front.headersOf('root') });
      const parts = [{ text: 'Read it.' }, { raw: base64, mediaType, filename: name }];
      const task = await client.sendMessage(sent('', { parts }));
      if ('messageId' in task) throw new Error('A message is no task.');
      return answerOf(task);
    },
  ],
];

test.each(askers)('a file reaches the model: %s', async (_protocol, ask) => {
  const pdf = await ask({ name: 'bill.pdf', mediaType: 'application/pdf', base64: PDF });
  expect(pdf).toContain('"text":"Read it."');
  expect(pdf).toContain('"mediaType":"application/pdf","filename":"bill.pdf"');
  expect(pdf).toContain(PDF);
  const csv = await ask({ name: 'sums.csv', mediaType: 'text/csv', base64: CSV });
  expect(csv).toContain('Read it.');
  expect(csv).toContain(String.raw`File sums.csv:\n` + '```' + String.raw`\nmonth,total\nmay,5\n`);
});

test.each(askers.filter(([protocol]) => protocol !== 'OpenAI, responses'))(
  'audio reaches the model: %s',
  async (_protocol, ask) => {
    const audio = await ask({ name: 'call.wav', mediaType: 'audio/wav', base64: WAV });
    expect(audio).toContain('"mediaType":"audio/wav"');
    expect(audio).toContain(WAV);
  },
);

test('a file is not fetched for a client, nor taken from an upload', async () => {
  const ask = (file: object) =>
    openai().responses.create({
      model: 'echo',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Read it.' },
            { type: 'input_file', ...file },
          ],
        },
      ],
    });
  await expect(ask({ file_url: 'https://169.254.169.254/a.pdf' })).rejects.toThrow('is not fetched');
  await expect(ask({ file_id: 'file-1' })).rejects.toThrow('there is no upload');
});
