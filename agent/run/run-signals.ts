import { CALL_INTENT, type CallIntent } from '../calls/calls.ts';
import { isUsage } from '../calls/failures.ts';
import { fieldsOf, isObject } from '../values/json-object.ts';
import type { WaitsTold } from './waits-told.ts';
import type { Usage } from '../values/vocabulary.ts';
import { waitingReasons } from '../rules/wait-reasons.ts';

/** Signals that runs and workers send to a run. Anybody can send a signal of the same name, with any content. */
export interface RunSignals {
  /** A sub-agent's run to its parent: which calls wait in it and in its own sub-agents. */
  childWaiting: WaitsTold;
  /** The run of a sub-agent with a budget that is cancelled: a cancellation has no place for its usage. */
  childUsed: { caller: string; usage: Usage };
  /** A run to its sub-agents: it is paused, or goes on. */
  pausedAbove: boolean;
  /** The runner of a call that may take effect once only, before it runs. */
  [CALL_INTENT]: CallIntent;
}

/** Reads what each signal brought; undefined for what is none of ours. */
export const runSignals: { readonly [N in keyof RunSignals]: (sent: unknown) => RunSignals[N] | undefined } =
  {
    childWaiting(sent) {
      if (!isObject(sent) || typeof sent['caller'] !== 'string') return undefined;
      const { waits, over } = sent;
      const isTold = Array.isArray(waits) && waits.every(isWaitingCall);
      const isOver = over === undefined || (Array.isArray(over) && over.every(isWaitKey));
      return isTold && isOver ? (sent as unknown as WaitsTold) : undefined; // as just seen
    },
    childUsed(sent) {
      const { caller, usage } = fieldsOf(sent);
      return typeof caller === 'string' && isUsage(usage) ? { caller, usage } : undefined;
    },
    pausedAbove: (sent) => (typeof sent === 'boolean' ? sent : undefined),
    [CALL_INTENT](sent) {
      if (!isObject(sent) || typeof sent['activityId'] !== 'string') return undefined;
      const { intent } = sent;
      const isIntent = isObject(intent) && [intent['at'], intent['attempt']].every(Number.isFinite);
      return isIntent ? (sent as unknown as CallIntent) : undefined; // as just seen
    },
  };

function isWaitingCall(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { tool, reason, error } = value;
  const isError =
    isObject(error) && typeof error['type'] === 'string' && typeof error['message'] === 'string';
  return (
    isWaitKey(value) &&
    typeof tool === 'string' &&
    waitingReasons.some((known) => known === reason) &&
    (error === undefined || isError)
  );
}

function isWaitKey(value: unknown): boolean {
  const { call, n } = fieldsOf(value);
  return typeof call === 'string' && Number.isFinite(n);
}
