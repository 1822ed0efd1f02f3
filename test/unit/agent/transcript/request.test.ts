import { describe, expect, test } from 'vitest';
import { type ModelRequest, renderRequest, requestDigest } from '../../../../agent/transcript/request.ts';
import type { ChatMessage } from '../../../../agent/values/vocabulary.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { sampleManifest } from '../../../support/manifest.ts';

test('a request is the prompt of the kind with the model, stop strings and parameters of the agent', () => {
  const params = { api: 'completions', stream: true, temperature: 0, requestTimeoutMs: 5_000 } as const;
  const [model, stop] = ['gpt-4o-mini', ['END']];
  const manifest = sampleManifest({ model, stop, params });
  const conversation = { manifest, input: 'Who?', chatHistory: [], variables: {}, steps: [], closing: false };
  const prompt = zeroShot.render(conversation);
  expect(renderRequest(zeroShot, conversation)).toEqual({ model, prompt, stop, params });
});

describe('the digest of a request', () => {
  const text = 'x'.repeat(3_000);

  test('is the same for the same request, also when it went through JSON', () => {
    const request = asked({ prompt: messages('Hello.', null, 'Bye.') });
    expect(requestDigest(request)).toMatch(/^[0-9a-f]{16}$/u);
    expect(requestDigest(JSON.parse(JSON.stringify(request)) as ModelRequest)).toBe(requestDigest(request));
  });

  // It is recorded with every reply, and a later version compares it with its own.
  test('is computed as ever', () => {
    expect(requestDigest(asked())).toBe('0699e145e8335e68');
    expect(requestDigest(asked({ prompt: messages('Hello.', null, 'Bye.') }))).toBe('52062df915948cac');
  });

  const four = messages('a', 'b', 'c', 'd');
  const system: ModelRequest['prompt'] = { type: 'messages', messages: [{ role: 'system', content: 'a' }] };
  test.each<[what: string, one: Partial<ModelRequest>, other: Partial<ModelRequest>]>([
    ['the model', {}, { model: 'other-model' }],
    ['the stop strings', {}, { stop: [] }],
    ['a parameter', {}, { params: { api: 'chat', stream: false, requestTimeoutMs: 1, temperature: 0 } }],
    ['a character', {}, { prompt: { type: 'text', text: 'Say hallo.' } }],
    ['the length of a text', long(text), long(`${text}x`)],
    ['the beginning of a long text', long(text), long(`y${text.slice(1)}`)],
    ['the end of a long text', long(text), long(`${text.slice(1)}y`)],
    ['text or messages', { prompt: { type: 'text', text: 'a' } }, { prompt: messages('a') }],
    ['the number of messages', { prompt: four }, { prompt: messages('a', 'b', 'x', 'c', 'd') }],
    ['the first message', { prompt: messages('a', 'b', 'c') }, { prompt: messages('x', 'b', 'c') }],
    ['the last message', { prompt: messages('a', 'b', 'c') }, { prompt: messages('a', 'b', 'x') }],
    ['the role of the last message', { prompt: messages('a') }, { prompt: system }],
  ])('tells apart %s', (_what, one, other) => {
    expect(requestDigest(asked(one))).not.toBe(requestDigest(asked(other)));
  });

  test('does not look into the middle of a long text: its price does not grow with the run', () => {
    const middle = (letter: string) => long(`${text}${letter}${text}`);
    expect(requestDigest(asked(middle('a')))).toBe(requestDigest(asked(middle('b'))));
  });
});

function asked(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'test-model',
    prompt: { type: 'text', text: 'Say hello.' },
    stop: ['\nObservation:'],
    params: { api: 'chat', stream: false, requestTimeoutMs: 1 },
    ...fields,
  };
}

function long(text: string): Partial<ModelRequest> {
  return { prompt: { type: 'text', text } };
}

function messages(...contents: (string | null)[]): ModelRequest['prompt'] {
  const list: ChatMessage[] = contents.map((content) => ({ role: 'user', content }));
  return { type: 'messages', messages: list };
}
