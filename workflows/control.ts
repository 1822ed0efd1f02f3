import { type CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { OperatorDecision, Park } from '../agent/events.ts';
import { type OpenCall, chooseCall } from './decisions.ts';
import { type RunState, childWaitingSignal, decisionHelp, decisionUpdates, statusQuery } from './messages.ts';

/** A tool call the outside can speak to. */
export interface ControlledCall extends OpenCall {
  scope: CancellationScope;
  decision: OperatorDecision | undefined;
  /** Waiting for a person stops the run's clock. */
  pauseClock(paused: boolean): void;
}

/** The operator's side of a workflow: the open calls of all its agents. One per workflow. */
export interface Control {
  calls: Map<string, ControlledCall>;
  /** A call begins or ceases to wait. */
  onWaitingChange: () => void;
}

/**
 * Sets the handlers; to be called before the first `await`, or an early update is refused. They are synchronous: check,
 * store, return. The validator is the same choice without its effect.
 */
export function createControl(state: () => RunState, onWaitingChange: () => void): Control {
  const control: Control = { calls: new Map(), onWaitingChange };
  const choose = (type: OperatorDecision['type'], data: unknown) =>
    chooseCall([...control.calls.values()].filter(isUndecided), type, data);

  for (const type of Object.keys(decisionUpdates) as OperatorDecision['type'][]) {
    setHandler(
      decisionUpdates[type],
      (data?: unknown) => {
        const { call, decision } = choose(type, data);
        call.decision = decision;
        if (decision.type === 'cancelCall') call.scope.cancel();
        return { call: call.id, n: call.n, decision: type };
      },
      { validator: (data?: unknown) => void choose(type, data), description: decisionHelp[type] },
    );
  }
  setHandler(childWaitingSignal, ({ caller, parks }) => {
    const call = control.calls.get(caller.replace(/~\d+$/u, ''));
    if (call === undefined) return;
    const waited = call.childParks.length > 0;
    call.childParks = parks.map((park) => ({ ...park, call: `${caller}/${park.call}` }));
    if (waited !== parks.length > 0) call.pauseClock(!waited);
    control.onWaitingChange();
  });
  setHandler(statusQuery, state, { description: 'What the run is doing and what it waits for.' });
  return control;
}

/** Waits until a person decides. Cancelling the run ends the wait with its CancelledFailure. */
export async function waitForDecision(
  control: Control,
  call: ControlledCall,
  park: Park,
): Promise<OperatorDecision> {
  call.park = park;
  call.decision = undefined;
  control.onWaitingChange();
  try {
    await condition(() => call.decision !== undefined);
  } finally {
    call.park = undefined;
    control.onWaitingChange();
  }
  const decision: OperatorDecision | undefined = call.decision;
  call.decision = undefined;
  if (decision === undefined) throw new Error('unreachable: the condition holds');
  return decision;
}

function isUndecided(call: ControlledCall): boolean {
  return call.decision === undefined;
}
