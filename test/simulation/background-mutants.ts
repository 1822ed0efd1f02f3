import type { Mutant } from './mutants.ts';

/** Defects of background calls, for the profile `background`. */
export const backgroundMutants: readonly Mutant[] = [
  {
    name: 'an answer does not wait for the results of background calls',
    file: 'workflows/loop/loop.ts',
    find: '|| (loop.background.hasResult && limitOf(loop) === undefined)',
    replace: '',
  },
  {
    name: 'the result of a background call that was cut off is sent twice',
    file: 'workflows/run/background-calls.ts',
    find: 'this.#calls.delete(call);\n      // A call without',
    replace: 'if (call.open.now.end !== undefined) this.#calls.delete(call);\n      // A call without',
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
  {
    name: 'the model cancels a background call, and the call goes on',
    file: 'workflows/run/background-control.ts',
    find: 'open.decide(CANCEL_BY_MODEL);',
    replace: '',
  },
  {
    name: 'a wait that a message ends says that the background call is over',
    file: 'workflows/run/background-control.ts',
    find: 'waitEndedEarly(stateText(call))',
    replace: 'ticketIsOver(ticketOf(call))',
  },
  {
    name: 'a background call that the model has cancelled begins again',
    file: 'agent/run/next-action.ts',
    find: 'const isCut = context.overdue || call.cancelled !== undefined;',
    replace: 'const isCut = context.overdue;',
  },
];
