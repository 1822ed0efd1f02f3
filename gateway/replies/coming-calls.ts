import type { RunEvent } from '../../client/index.ts';

/** Calls that the client will be asked to carry out. The waits of a turn start together, and a reply has all of its calls. */
export interface ComingCalls {
  note(event: RunEvent): void;
  isEmpty(): boolean;
}

export function createComingCalls(): ComingCalls {
  const calls = new Set<string>();
  return { note, isEmpty: () => calls.size === 0 };

  function note(event: RunEvent): void {
    if (event.type === 'action' && event.client === true) calls.add(event.call);
    else if (event.type === 'waiting') calls.delete(event.wait.call);
    else if (event.type === 'step') calls.delete(event.step.call);
    else if (event.type === 'restarted' || event.type === 'run_ended') calls.clear();
  }
}
