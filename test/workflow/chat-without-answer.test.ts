import { expect, test } from 'vitest';
import { createGateway } from '../../gateway/gateway.ts';
import { ModelError, defineModel } from '../../adapters/models/model.ts';
import { useRig } from '../support/rig.ts';
import { guarded } from '../support/sample-tools.ts';
import { modelOf, toolCall } from '../support/scripts.ts';

const broken = defineModel({
  call: () => Promise.reject(new ModelError('ModelNotFound', 'It is retired.', { retryable: false })),
});
const asking = (text: string) =>
  modelOf((step) => (step === '1' ? { text, toolCalls: [toolCall('guarded')] } : 'done'));
const plain = { kind: 'tool-calling', tools: [guarded] } as const;
const rig = useRig({
  agents: [
    { ...plain, name: 'broken', onModelFailure: 'fail', model: broken },
    { ...plain, name: 'mute', model: asking('') },
    { ...plain, name: 'careful', model: asking('One moment.') },
  ],
});

function complete(model: string, stream: boolean): Promise<Response> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Do it.' }], stream });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body });
  return createGateway(rig.client, { open: true }).fetch(request);
}

test.each([
  ['broken', 'RunFailed', true],
  ['broken', 'RunFailed', false],
  ['mute', 'RunWaiting', true],
  ['mute', 'RunWaiting', false],
])('%s is told as %s with a status that no client sends again; a stream: %s', async (model, code, stream) => {
  const response = await complete(model, stream);
  expect(response.status).toBe(400);
  expect(response.headers.get('x-should-retry')).toBe('false');
  expect(await response.json()).toMatchObject({ error: { code } });
});

test('a stream that has text ends with words about the wait', async () => {
  const texts = (await (await complete('careful', true)).text())
    .split('\n\n')
    .filter((text) => text.startsWith('data: {'));
  const chunks = texts.map((text) => JSON.parse(text.slice('data: '.length)) as Chunk);
  const content = chunks.map(({ choices: [choice] }) => choice.delta.content ?? '').join('');
  expect(content).toMatch(
    /^One moment\.\n\nRun \S+ waits for a person: 1\.1 guarded: needs your approval\./u,
  );
  expect(chunks.at(-1)?.choices[0].finish_reason).toBe('length');
});

interface Chunk {
  choices: [{ delta: { content?: string }; finish_reason: string | null }];
}
