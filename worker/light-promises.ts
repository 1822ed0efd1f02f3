/**
 * For the head of a workflow bundle: promises without stacks. The SDK's promise hook compiles two functions and writes a
 * source-mapped stack for every promise of the sandbox, for the Web UI's Call Stack alone. The hook reaches into the sandbox
 * by the constructor of a promise's constructor; that answers here what it asks, ready made, with an error class that has no
 * stack, which the hook takes for a promise that is not to be tracked. Stacks of errors stay, and so does the run that an
 * unhandled rejection belongs to, which is asked for in the same way: where that had no answer, the whole worker would end.
 *
 * It has to run while the bundle is loaded: afterwards the sandbox's globals are frozen, and setting one throws.
 */
export const LIGHT_PROMISES = oneLine(`try {
  class Stackless {}
  const compile = Promise.constructor;
  const ready = new Map([
    ['return globalThis.__TEMPORAL_ACTIVATOR__', () => globalThis.__TEMPORAL_ACTIVATOR__],
    ['return globalThis.Error', () => Stackless],
  ]);
  const answer = (...source) => (source.length === 1 && ready.get(source[0])) || compile(...source);
  Object.defineProperty(Promise, 'constructor', { value: answer });
} catch {}`);

/** The bundle's source map counts lines. */
function oneLine(code: string): string {
  return `{${code.replaceAll(/\n\s*/gu, ' ')}}`;
}
