import type { FailedCall } from '../../agent/calls/failures.ts';
import type { CallFact } from '../../agent/run/call-state.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import { asRunInput } from '../read/records.ts';

type Scheduled = Extract<Fact, { type: 'scheduled' }>;

/** In a backtest, what a recording is asked in the place of the tool. */
const RECORDED_CALL = 'recordedCall';

/** What is scheduled, by name; a sub-agent, or a call that a recording answers, goes by its tool's. */
export function scheduledName({ of, name }: Scheduled, tool = ''): string {
  return of === 'child' || name === RECORDED_CALL ? tool : name;
}

/** Tool activities and sub-agents have one argument, the input; a run has its own input, and so has a recording. */
export function scheduledInput({ of, name }: Scheduled, input: unknown): Json {
  const given = name === RECORDED_CALL ? fieldsOf(input)['toolInput'] : input;
  return ((of === 'child' ? asRunInput(input)?.question?.input : given) ?? null) as Json; // an activity's, made JSON
}

/** An activity or a sub-agent's run between its schedule and its end. */
export interface Pending {
  name: string;
  call: string;
  atMs: number;
  attempts: number;
  closing: boolean;
}

export type WorkEnded = Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/** An external activity whose cancellation was requested: history has no more of its end. */
const CANCELLED: FailedCall = {
  error: { type: 'Cancelled', message: 'The call was cancelled' },
  checkpoint: undefined,
  mayPass: false,
};

/** The end of a schedule as the call's rules take it. */
export async function endOf(fact: WorkEnded, ran: { attempts: number; ms: number }): Promise<CallFact> {
  if (fact.type === 'succeeded') return { type: 'succeeded', result: await fact.result(), ...ran };
  const failed = (await fact.failure?.()) ?? CANCELLED;
  return { type: fact.type, failed, ...ran };
}
