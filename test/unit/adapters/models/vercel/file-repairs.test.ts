import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../../agent/values/vocabulary.ts';
import { failureOf, modelRequest, scriptedOpenAI } from '../../../../support/model-calls.ts';

const text = { type: 'text' as const, text: 'What?' };
const common = { type: 'file' as const, bytes: 3, data: 'AAAA' };
const pdf = { ...common, mediaType: 'application/pdf', filename: 'a.pdf' };
const audio = { ...common, mediaType: 'audio/mpeg', filename: 'a.mp3' };
const refusal = (message: string) => ({ status: 400, error: { message } });
const after = (content: ChatMessage['content']): ChatMessage[] => [
  { role: 'user', content },
  { role: 'assistant', content: 'A bill.' },
  { role: 'user', content: 'Thanks.' },
];

describe('a refusal', () => {
  test.each([
    'This model does not support file content types.',
    "Invalid value: 'file'. Supported values are: 'text', 'image_url', 'input_audio' and 'refusal'.",
    'unknown variant `file`, expected `text` or `image_url`',
    'Unknown part type: file',
  ])('may be of a file, earlier ones of which are described: %s', async (message) => {
    const { server, ask } = await scriptedOpenAI([refusal(message), 'one', refusal(message)]);
    const prompt = { type: 'messages' as const, messages: after([text, pdf, audio]) };
    expect(await ask(modelRequest({}, { prompt }))).toMatchObject({
      text: 'one',
      warnings: [expect.stringContaining('takes no such files')],
    });
    expect(server.requests[1]?.body['messages']).toMatchObject([
      { content: [text, { text: '[file a.pdf application/pdf 3 bytes]' }, { type: 'input_audio' }] },
      {},
      {},
    ]);
    const own = { type: 'messages' as const, messages: [{ role: 'user' as const, content: [text, pdf] }] };
    expect((await failureOf(ask(modelRequest({}, { prompt: own })))).message).toContain('files: false');
  });

  test.each([
    'No endpoints found that support input audio',
    'unknown variant `input_audio`, expected `text`',
    "'file part media type audio/mpeg' functionality not supported.",
  ])('may be of audio alone: %s', async (message) => {
    const { server, ask } = await scriptedOpenAI([refusal(message), 'one', refusal(message)]);
    const prompt = { type: 'messages' as const, messages: after([text, pdf, audio]) };
    const { warnings } = await ask(modelRequest({}, { prompt }));
    expect(warnings).toEqual([expect.stringContaining('takes no audio')]);
    expect(server.requests[1]?.body['messages']).toMatchObject([
      { content: [text, { type: 'file' }, { text: '[file a.mp3 audio/mpeg 3 bytes]' }] },
      {},
      {},
    ]);
    const own = { type: 'messages' as const, messages: [{ role: 'user' as const, content: [text, audio] }] };
    expect((await failureOf(ask(modelRequest({}, { prompt: own })))).message).toContain('files: false');
  });
});
