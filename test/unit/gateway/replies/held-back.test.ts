import { describe, expect, test } from 'vitest';
import { heldBackSse } from '../../../../gateway/replies/sse-response.ts';
import { wholeAnswer } from '../../../../gateway/replies/whole-answer.ts';

const request = new Request('http://localhost/');
const errorBody = (error: unknown) => ({ error: String(error) });
const soon = { errorBody };
/** Nothing is soon. */
const late = { errorBody, heldBackMs: 0 };
const failure = new Error('it failed');

/** Ends with the signal, and says so. */
function untilLeft() {
  let leave = () => {};
  const left = new Promise<void>((resolve) => (leave = resolve));
  const work = (signal: AbortSignal) =>
    new Promise<object>((resolve) => {
      signal.addEventListener('abort', () => {
        leave();
        resolve({ state: 'under way' });
      });
    });
  return { left, work };
}

describe('an answer that is not a stream', () => {
  test('has its own status where it comes soon', async () => {
    const response = await wholeAnswer(request, async () => ({ a: 1 }), soon);
    expect(await response.text()).toBe('{"a":1}');
    await expect(wholeAnswer(request, () => Promise.reject(failure), soon)).rejects.toThrow(failure);
  });

  test('comes behind blanks else, and is JSON all the same', async () => {
    let end: (value: object) => void = () => undefined;
    const work = () => new Promise<object>((resolve) => (end = resolve));
    const response = await wholeAnswer(request, work, late);
    expect(response).toMatchObject({ status: 200 });
    expect(response.headers.get('content-type')).toBe('application/json');
    const reader = response.body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value as Uint8Array);
    expect(await read()).toBe(' '); // before there is an answer
    end({ a: 1 });
    expect(JSON.parse(' ' + (await read()))).toEqual({ a: 1 });
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  test('is an error in its body where the error comes late', async () => {
    let fail: (reason: unknown) => void = () => undefined;
    const work = () => new Promise<object>((_, reject) => (fail = reject));
    const response = await wholeAnswer(request, work, late);
    fail(failure);
    expect(await response.json()).toEqual({ error: 'Error: it failed' });
  });

  test('is waited for no longer once its client has left', async () => {
    const { left, work } = untilLeft();
    const response = await wholeAnswer(request, work, late);
    await response.body?.cancel();
    await left;
    const own = new AbortController();
    const before = untilLeft();
    const answer = wholeAnswer(new Request(request, { signal: own.signal }), before.work, soon);
    own.abort();
    await before.left;
    expect(await (await answer).json()).toEqual({ state: 'under way' });
  });
});

describe('a stream', () => {
  const errorText = (error: unknown) => `! ${String(error)}`;

  test('that fails before its first event is an error with a status', async () => {
    const texts = async function* (): AsyncGenerator<string> {
      yield await Promise.reject(failure);
    };
    await expect(heldBackSse(request, texts, errorText)).rejects.toThrow(failure);
  });

  test('that fails later has the error as its last event', async () => {
    const texts = async function* () {
      yield 'a ';
      throw failure;
    };
    expect(await (await heldBackSse(request, texts, errorText)).text()).toBe(':\n\na ! Error: it failed');
  });

  test('that is silent at first is sent before it has an event, and ends when its reader leaves', async () => {
    const { left, work } = untilLeft();
    const texts = async function* (signal: AbortSignal) {
      yield JSON.stringify(await work(signal));
    };
    const response = await heldBackSse(request, texts, errorText, 0);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value as Uint8Array)).toBe(':\n\n');
    await reader?.cancel();
    await left;
  });
});
