import { setTimeout as sleep } from 'node:timers/promises';
import { assert, constant, nat, oneof, property, record, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callInTime } from '../../../../activities/model/model-of.ts';
import { activityId, parseActivityId } from '../../../../agent/calls/calls.ts';
import { advance, START } from '../../../../agent/transcript/entries.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { type Model, type ModelCallContext, defineModel } from '../../../../adapters/models/model.ts';
import { callModelOnce } from '../../../support/call-model.ts';
import { sampleManifest } from '../../../support/manifest.ts';
import { modelRequest } from '../../../support/model-calls.ts';
import { act, answer, script } from '../../../support/scripts.ts';

describe('an activity id', () => {
  test.each<[what: string, id: string, parts: { scope: number; call: string; n: number }]>([
    ['of a model call is its iteration', '3', { scope: 0, call: '3', n: 0 }],
    ['of a tool call is what people type', '3.1', { scope: 0, call: '3.1', n: 0 }],
    ['of the definition is a word', 'resolve', { scope: 0, call: 'resolve', n: 0 }],
    ['says which agent, and which schedule', '12/3.10~11', { scope: 12, call: '3.10', n: 11 }],
  ])('%s: %s', (_what, id, parts) => {
    expect(activityId(parts.scope, parts.call, parts.n)).toBe(id);
    expect(parseActivityId(id)).toEqual(parts);
  });

  test('says which call it is of, whichever that is', () => {
    const calls = oneof(
      nat().map(String),
      tuple(nat(), nat()).map((parts) => parts.join('.')),
    );
    const parts = record({ scope: nat(), call: oneof(calls, constant('resolve')), n: nat() });
    const isRead = (one: { scope: number; call: string; n: number }) => {
      expect(parseActivityId(activityId(one.scope, one.call, one.n))).toEqual(one);
    };
    assert(property(parts, isRead));
  });

  const others = '3. .1 3.1.2 3.1~ ~1 1/ /3.1 1/2/3.1 a/3.1 -3 3a Resolve my-activity'.split(' ');
  test.each(['', '3.1 ', ...others])('is not ours: "%s"', (id) => {
    expect(parseActivityId(id)).toBeUndefined();
  });
});

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

const call = { step: '3.1', runId: 'run' };
const reply = { text: 'late', toolCalls: [], finishReason: 'stop' };

function ask(model: Model, requestTimeoutMs: number, signal = new AbortController().signal) {
  return callInTime(model, modelRequest({ requestTimeoutMs }), { ...call, signal, onText: () => undefined });
}

describe('a model that a tool asks', () => {
  test('is given up after a silence of requestTimeout, even if it does not mind its signal', async () => {
    const signals: AbortSignal[] = [];
    const deaf = defineModel({
      call(_request, { signal }) {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    await expect(ask(deaf, 20)).rejects.toMatchObject({
      type: 'ModelTimeout',
      retryable: true,
      message: expect.stringContaining('for 0.02 s. If it needs longer, raise requestTimeout.'),
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test.each<[what: string, say: (context: ModelCallContext) => void]>([
    ['text', ({ onText }) => onText('word')],
    ['a sign of life', ({ onText }) => onText('')],
    ['reasoning', ({ onReasoning }) => onReasoning?.('thought')],
  ])('may take longer, as long as it brings %s', async (_what, say) => {
    const slow = defineModel({
      async call(_request, context) {
        for (let piece = 0; piece < 6; piece++) {
          await sleep(100, undefined, { signal: context.signal });
          say(context);
        }
        return reply;
      },
    });
    expect(await ask(slow, 500)).toBe(reply);
  });

  test('ends with the tool’s own signal', async () => {
    const model = defineModel({ call: () => new Promise(() => undefined) });
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(ask(model, 10_000, signal)).rejects.toThrow('cancelled');
  });
});
