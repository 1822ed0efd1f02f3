import { expect, test } from 'vitest';
import { START, advance } from '../../agent/transcript/entries.ts';
import { noUsage } from '../../agent/vocabulary.ts';
import { callModelOnce } from '../support/call-model.ts';
import { sampleManifest } from '../support/manifest.ts';
import { act, answer, script } from '../support/scripts.ts';

test('a turn says where the transcript stands with what the call carried', async () => {
  const { digest } = await callModelOnce(script(answer('42')));
  expect(digest).toBe(
    advance(START, [
      { type: 'agent', manifest: sampleManifest({ adapter: 'mine' }) },
      { type: 'question', input: 'what?', chatHistory: [] },
    ]).digest,
  );
});

test("a person's reply is read as the model's, and no model is asked", async () => {
  const model = script(answer('never said'));
  const turn = await callModelOnce(model, { input: { reply: answer('from a person') } });
  expect(turn).toMatchObject({
    text: answer('from a person'),
    decision: { type: 'finish', output: 'from a person' },
    finishReason: 'stop',
    usage: noUsage,
  });
  expect(turn.cached).toBeUndefined();
  expect(model.requests).toEqual([]);
});

test("a person's reply may call a tool, and is told what it cannot be read as", async () => {
  const model = script();
  const acting = await callModelOnce(model, { input: { reply: act('Search', 'x') } });
  expect(acting.decision).toMatchObject({ type: 'act', actions: [{ tool: 'Search', toolInput: 'x' }] });
  const unreadable = await callModelOnce(model, { input: { reply: 'hm' } });
  expect(unreadable.decision).toMatchObject({ type: 'act', actions: [{ tool: '_Exception' }] });
});

test('the request of a turn is the same whoever replied', async () => {
  const asked = await callModelOnce(script(answer('42')));
  const told = await callModelOnce(script(), { input: { reply: answer('43') } });
  expect(told.request).toBe(asked.request);
});
