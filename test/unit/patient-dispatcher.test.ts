import { expect, onTestFinished, test } from 'vitest';
import { modelRequest, scriptedOpenAI } from '../support/model-calls.ts';

const GLOBAL = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** The options of every request that Node's fetch makes, until the test ends. */
async function dispatched(): Promise<object[]> {
  const seen: object[] = [];
  void Headers;
  const before = Reflect.get(globalThis, GLOBAL) as Dispatcher | undefined; // as fetch keeps it
  if (before === undefined) throw new Error('This Node keeps the dispatcher of its fetch somewhere else.');
  const watching: Dispatcher = {
    dispatch(options, handler) {
      seen.push(options);
      return before.dispatch(options, handler);
    },
  };
  Reflect.set(globalThis, GLOBAL, watching);
  onTestFinished(() => void Reflect.set(globalThis, GLOBAL, before));
  return seen;
}

test.each([true, false])(
  'a model may be silent for longer than fetch waits by itself, with stream: %s; a dispatcher that the program has set is used',
  async (stream) => {
    const seen = await dispatched();
    const { ask } = await scriptedOpenAI(['hi']);
    expect((await ask(modelRequest({ stream }))).text).toBe('hi');
    expect(seen).toEqual([expect.objectContaining({ headersTimeout: 0, bodyTimeout: 0 })]);
  },
);
