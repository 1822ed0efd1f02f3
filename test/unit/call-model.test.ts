import { describe, expect, test } from 'vitest';
import { START, advance } from '../../agent/transcript/entries.ts';
import { noUsage } from '../../agent/vocabulary.ts';
import { defineModel } from '../../models/model.ts';
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

describe('a turn of a model with a price', () => {
  const price = { input: 100_000, output: 200_000 };

  test('says what it cost', async () => {
    const { usage } = await callModelOnce(script(answer('42')), { manifest: { price } });
    expect(usage).toMatchObject({ totalTokens: 15, cost: 2 });
  });

  test('costs nothing where a person replied', async () => {
    const { usage } = await callModelOnce(script(), { manifest: { price }, input: { reply: answer('43') } });
    expect(usage).toMatchObject({ modelCalls: 0, cost: 0 });
  });
});

test('a turn without a price says nothing of cost, so that it is recorded as ever', async () => {
  const { usage } = await callModelOnce(script(answer('42')));
  expect(JSON.stringify(usage)).toBe(
    '{"promptTokens":10,"completionTokens":5,"totalTokens":15,"modelCalls":1}',
  );
});

describe('a reply whose tokens nobody counted', () => {
  const uncounted = defineModel({
    call: () => Promise.resolve({ text: answer('42'), toolCalls: [], finishReason: 'stop', usage: noUsage }),
  });

  test('is warned of where there is a budget', async () => {
    const turn = await callModelOnce(uncounted, { manifest: { budget: { totalTokens: 5 } } });
    expect(turn.warnings).toEqual([expect.stringContaining('did not say how many tokens')]);
  });

  test('is no matter where there is none', async () => {
    expect((await callModelOnce(uncounted)).warnings).toBeUndefined();
  });
});
