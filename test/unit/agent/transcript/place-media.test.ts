import { describe, expect, test } from 'vitest';
import {
  type Content,
  type ContentPart,
  type ImagePart,
  contentText,
  mediaOf,
} from '../../../../agent/values/content.ts';
import type { AgentKind } from '../../../../agent/definition/kind.ts';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import { placeMedia } from '../../../../agent/transcript/place-media.ts';
import { renderRequest, requestDigest, unshownMedia } from '../../../../agent/transcript/request.ts';
import { buildRequest } from '../../../../adapters/models/openai/request/request-body.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const stored: ImagePart = { type: 'image', mediaType: 'image/png', bytes: 34_000, ref: { index: 0 } };
const linked: ImagePart = { type: 'image', url: 'https://example.com/a.png' };
const text = (words: string): ContentPart => ({ type: 'text', text: words });
const asked: Content = [text('Compare'), stored, text('with'), linked];

const taking = builtInKinds.filter(({ images }) => images === true);

describe('images of a question', () => {
  test.each(taking)('stand in the message of $name where they were put, between the texts', (kind) => {
    const { prompt } = rendered(kind, asked);
    const messages = prompt.type === 'messages' ? prompt.messages : [];
    const shown = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    expect(shown.filter(({ type }) => type === 'image')).toEqual([stored, linked]);
    const words = shown.map((part) => (part.type === 'text' ? part.text : '*')).join('|');
    expect(words).toMatch(/Compare\|\*\|with\|\*(?:\||$)/u);
    expect(JSON.stringify(prompt)).not.toContain('\uFFFC');
  });

  test.each(taking)('leave the request of $name as it is where there are none', (kind) => {
    const context = contextOf(kind, 'what?');
    expect(renderRequest(kind, context).prompt).toEqual(kind.render(context));
  });

  test('are told in words to a kind that takes none, those of the chat history too', () => {
    const kind = ownKind(({ input, chatHistory }) => {
      return { type: 'messages', messages: [...chatHistory, { role: 'user', content: input }] };
    });
    const chatHistory = [{ role: 'user' as const, content: [text('before'), stored] }];
    const { prompt } = renderRequest(kind, { ...contextOf(kind, asked), chatHistory });
    expect(prompt.type === 'messages' && prompt.messages.map(({ content }) => content)).toEqual([
      'before\n[image image/png 34 KB]',
      'Compare\n[image image/png 34 KB]\nwith\n[image https://example.com/a.png]',
    ]);
  });

  test.each(taking)('are told in words to an agent of kind $name with images: false', (kind) => {
    const context = contextOf(kind, asked);
    const params = { ...context.manifest.params, images: false };
    const { prompt } = renderRequest(kind, { ...context, manifest: { ...context.manifest, params } });
    const messages = prompt.type === 'messages' ? prompt.messages : [];
    expect(messages.flatMap(({ content }) => mediaOf(content))).toEqual([]);
    expect(JSON.stringify(messages)).toContain('[image image/png 34 KB]');
  });

  test('become a message of their own kind of prompt, be it one text', () => {
    const kind = { ...ownKind(({ input }) => ({ type: 'text', text: `Q: ${input}!` })), images: true };
    const { prompt } = renderRequest(kind, contextOf(kind, [text('Look'), stored]));
    const content = [text('Q: Look'), stored, text('!')];
    expect(prompt).toEqual({ type: 'messages', messages: [{ role: 'user', content }] });
  });

  test('are counted, for a warning, where a kind leaves them out', () => {
    const kind = { ...ownKind(() => ({ type: 'text', text: 'Something else' })), images: true };
    const context = contextOf(kind, asked);
    expect(unshownMedia(context, renderRequest(kind, context))).toBe(2);
    const [first] = taking;
    expect(first && unshownMedia(contextOf(first, asked), rendered(first, asked))).toBe(0);
  });

  test('are looked for in what the user says only: a mark that a tool wrote is a text', () => {
    const messages = [{ role: 'tool' as const, content: '\uFFFCmedia 0\uFFFC' }];
    expect(placeMedia({ type: 'messages', messages }, [stored])).toEqual({ type: 'messages', messages });
  });

  test('count in the digest of a request by what they are, with their bytes or without', () => {
    const [kind] = taking;
    if (kind === undefined) throw new Error('There is one.');
    const without = rendered(kind, [text('Look'), stored]);
    const loaded = rendered(kind, [text('Look'), { ...stored, data: 'AAAA' }]);
    const other = rendered(kind, [text('Look'), { ...stored, bytes: 35_001 }]);
    expect(requestDigest(loaded)).toBe(requestDigest(without));
    expect(requestDigest(other)).not.toBe(requestDigest(without));
  });

  test('are for zero-shot the text files alone, in their place', () => {
    const kind =
      builtInKinds.find(({ name }) => name === 'zero-shot') ?? ownKind(() => ({ type: 'text', text: '' }));
    const file = { type: 'file' as const, bytes: 9 };
    const csv = { ...file, mediaType: 'text/csv', filename: 'a.csv', ref: { index: 0 } };
    const pdf = { ...file, mediaType: 'application/pdf', filename: 'b.pdf', ref: { index: 1 } };
    const { prompt } = rendered(kind, [text('Compare'), csv, pdf, stored]);
    const shown = prompt.type === 'messages' ? prompt.messages.map(({ content }) => content) : [];
    expect(shown.flatMap(mediaOf)).toEqual([csv]);
    expect(contentText(shown[0] ?? null)).toContain(
      '[file b.pdf application/pdf 9 bytes]\n\n[image image/png 34 KB]',
    );
  });

  test('go to the OpenAI protocol as parts of the kind that the file has', () => {
    const file = (mediaType: string, filename?: string): ContentPart => ({
      type: 'file',
      mediaType,
      filename,
      data: 'AAAA',
    });
    const content = [
      file('application/pdf', 'a.pdf'),
      file('application/pdf'),
      file('audio/wav'),
      file('audio/mpeg'),
    ];
    const request = { model: 'm', stop: [], params: sampleManifest().params };
    const prompt = { type: 'messages' as const, messages: [{ role: 'user' as const, content }] };
    const file_data = 'data:application/pdf;base64,AAAA';
    const parts = [
      { type: 'file', file: { filename: 'a.pdf', file_data } },
      { type: 'file', file: { filename: 'file.pdf', file_data } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    ];
    expect(buildRequest({ ...request, prompt }).body['messages']).toEqual([{ role: 'user', content: parts }]);
  });

  test('go to the OpenAI protocol as image_url parts', () => {
    const content: Content = [text('Look'), { ...stored, ref: undefined, data: 'iVBO' }, linked];
    const request = { model: 'm', stop: [], params: sampleManifest().params };
    const prompt = { type: 'messages' as const, messages: [{ role: 'user' as const, content }] };
    const parts = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    expect(buildRequest({ ...request, prompt }).body['messages']).toEqual([{ role: 'user', content: parts }]);
    const params = { ...request.params, api: 'completions' as const };
    const build = () => buildRequest({ ...request, params, prompt });
    expect(build).toThrow("cannot carry images and files: give this agent api: 'chat'");
  });
});

function rendered(kind: AgentKind, input: Content) {
  return renderRequest(kind, contextOf(kind, input));
}

function contextOf(kind: AgentKind, input: Content) {
  const manifest = sampleManifest({ kind: kind.name, prompt: { ...kind.prompt } });
  return conversation([
    { type: 'agent', manifest },
    { type: 'question', input, chatHistory: [] },
  ]);
}

function ownKind(render: AgentKind['render']): AgentKind {
  const parse: AgentKind['parse'] = ({ text: output }) => ({ type: 'finish', output, log: output });
  return { name: 'own', stop: [], prompt: {}, stoppedOutput: '', chatHistory: true, render, parse };
}
