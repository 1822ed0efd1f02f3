import { modelCallOf } from '../../../agent/calls/call-path.ts';
import type { RunEvent } from '../../../agent/run/events.ts';
import type { SubAgentTrace } from './sub-agent-traces.ts';

/** The ids of calls in the lines of a trace. A line without an id is of the one call that it can be of. */
export interface CallNames {
  /** Every event of the run, in order. */
  note(event: RunEvent): void;
  /** ` (3.1)` for the end of a label, if a reader could take another call for it; otherwise ''. */
  after(call: string): string;
  /** The id of a call for all that the trace shows. */
  path(call: string): string;
}

/** `below`: the run is a sub-agent's. */
export function createCallNames(below: SubAgentTrace | undefined): CallNames {
  /** The latest model call, and the number of calls that its reply has. */
  let latest = { call: '', calls: 1 };
  /** Tool calls that have begun and not ended. */
  const open = new Set<string>();
  return { note, path, after: (call) => (isClear(call) ? '' : ` (${path(call)})`) };

  function note(event: RunEvent): void {
    if (event.type === 'model_started') latest = { call: event.call, calls: 1 };
    else if (event.type === 'model_ended') {
      const { decision } = event.turn;
      latest = { call: event.call, calls: decision.type === 'act' ? decision.actions.length : 1 };
    } else if (event.type === 'action') open.add(event.call);
    else if (event.type === 'step') open.delete(event.step.call);
    else if (event.type === 'restarted' || event.type === 'run_ended') open.clear();
  }

  /** A call of an earlier turn is a background call, beside which the model and other calls work. */
  function isClear(call: string): boolean {
    if (below?.hasNeighbours() === true) return false;
    const of = modelCallOf(call);
    if (of === call) return open.size === 0;
    return latest.calls === 1 && (latest.call === '' || of === latest.call);
  }

  function path(call: string): string {
    return below === undefined ? call : `${below.within}/${call}`;
  }
}
