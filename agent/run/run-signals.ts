import { CALL_CHECKPOINT, CALL_INTENT, type CallCheckpoint, type CallIntent } from '../calls/call-signals.ts';
import { isUsage } from '../calls/failures.ts';
import { fieldsOf, isObject } from '../values/json-object.ts';
import type { WaitsChange } from './waits-change.ts';
import type { Usage } from '../values/vocabulary.ts';
import { waitingReasons } from '../rules/wait-reasons.ts';

/** Signals that runs and workers send to a run. Other programs can send a signal of the same name with any content, so the content is checked. */
export interface RunSignals {
  /** Sent by a sub-agent's run to its parent: waits of the run and of its sub-agents. */
  childWaiting: WaitsChange;
  /** Sent by a cancelled sub-agent with a budget to its parent: usage. Temporal's cancellation cannot carry the usage. */
  childUsed: { caller: string; usage: Usage };
  /** Sent by a run to its sub-agents: the run is paused (true) or resumed (false). */
  pausedAbove: boolean;
  /** Sent by the worker to the run, before a tool with `effects: 'once'` runs. */
  [CALL_INTENT]: CallIntent;
  /** Sent by the worker to the run, when a tool with `cancel` has stored a checkpoint. */
  [CALL_CHECKPOINT]: CallCheckpoint;
}

/** Checks the content of each signal; undefined for content that Reloop did not send. */
export const runSignals: { readonly [N in keyof RunSignals]: (sent: unknown) => RunSignals[N] | undefined } =
  {
    childWaiting(sent) {
      if (!isObject(sent) || typeof sent['caller'] !== 'string') return undefined;
      const { waits, over } = sent;
      const areWaits = Array.isArray(waits) && waits.every(isWaitingCall);
      const isOver = over === undefined || (Array.isArray(over) && over.every(isWaitKey));
      return areWaits && isOver ? (sent as unknown as WaitsChange) : undefined; // checked above
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
      return isIntent ? (sent as unknown as CallIntent) : undefined; // checked above
    },
    [CALL_CHECKPOINT](sent) {
      const { activityId, checkpoint } = fieldsOf(sent);
      const isOurs = typeof activityId === 'string' && checkpoint !== undefined;
      return isOurs ? (sent as CallCheckpoint) : undefined; // checked above; a signal is JSON
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
