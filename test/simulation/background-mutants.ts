import type { Mutant } from './mutants.ts';

/** Defects of background calls. In the profile `background` the seeds 134, 38, 134, 645 and 134 find them, in this order. */
export const backgroundMutants: readonly Mutant[] = [
  {
    name: 'an answer does not wait for the results of background calls',
    file: 'workflows/loop/loop.ts',
    find: '|| (loop.background.hasResult && limitOf(loop) === undefined)',
    replace: '',
  },
  {
    name: 'the result of a background call is sent with each model call',
    file: 'workflows/run/background-calls.ts',
    find: 'this.#calls.delete(call);\n      // A call without',
    replace: '// A call without',
  },
  {
    name: 'a rewind loses the result of a background call that a dropped step had',
    file: 'history/views/restart-point.ts',
    find: 'if (result !== undefined) return [result];',
    replace: 'if (result !== undefined) return [];',
  },
  {
    name: 'a reader forgets at a rewind the background calls that are under way',
    file: 'history/trace/trace.ts',
    find: 'if (isDropped(task.call, { step, again: undefined })) pending.delete(key);',
    replace: 'pending.delete(key);',
  },
  {
    name: 'a run ends before its background calls',
    file: 'workflows/run/background-calls.ts',
    find: 'await CancellationScope.nonCancellable(() => Promise.all(calls.map(({ over }) => over)));',
    replace: 'await Promise.resolve();',
  },
];
