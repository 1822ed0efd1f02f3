import { onTestFinished } from 'vitest';

const GLOBAL = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** The options of every request that Node's fetch makes, until the test ends. */
export function dispatched(): object[] {
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
