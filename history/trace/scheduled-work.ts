import { type FailedCall, cancelled } from '../../agent/calls/failures.ts';
import type { CallFact } from '../../agent/run/call-state.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

type Scheduled = Extract<Fact, { type: 'scheduled' }>;

/** Activity of a backtest: reads the call's result from the recording, instead of running the tool. */
const RECORDED_CALL = 'recordedCall';

/** Returns the activity's name; the tool's name for a sub-agent and for a call that a recording answers. */
export function scheduledName({ of, name }: Scheduled, tool = ''): string {
  return of === 'child' || name === RECORDED_CALL ? tool : name;
}

/** Returns the tool's input. A tool's activity has the input as its argument; a sub-agent's run and a recorded call have it in a field. */
export function scheduledInput({ of, name }: Scheduled, input: unknown): Json {
  const given = name === RECORDED_CALL ? fieldsOf(input)['toolInput'] : input;
  return ((of === 'child' ? asRunInput(input)?.question?.input : given) ?? null) as Json; // an activity's argument, which is JSON
}

/** An activity or a sub-agent's run between its schedule and its end. */
export interface Pending {
  name: string;
  call: string;
  atMs: number;
  attempts: number;
  closing: boolean;
  /** True if the input is that of our model call. Other workflows may have activities with the same name. */
  isModelCall: boolean;
}

export type WorkEnded = Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/** Reads the end of a schedule as a fact for the call's rules. */
export async function endOf(fact: WorkEnded, stats: { attempts: number; ms: number }): Promise<CallFact> {
  if (fact.type === 'succeeded') return { type: 'succeeded', result: await fact.result(), ...stats };
  return { type: fact.type, failed: (await fact.failure?.()) ?? (await cancelledBy(fact)), ...stats };
}

/** Makes the failure of a cancelled activity: history has the details of the cancellation, and no failure. */
async function cancelledBy(fact: WorkEnded): Promise<FailedCall> {
  const details = fact.type === 'cancelled' ? await fact.details?.() : undefined;
  return cancelled('The call was cancelled', details);
}
