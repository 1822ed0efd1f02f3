import type { TimelessEvent } from '../../agent/run/events.ts';
import type { ErrorInfo, Usage } from '../../agent/values/vocabulary.ts';
import { statusOf } from '../../agent/run/run-result.ts';
import { plainJson } from '../../agent/values/values.ts';
import { asRunResult } from '../read/records.ts';

type Ended = Extract<TimelessEvent, { type: 'run_ended' }>;

const NOTHING = { output: null, stopReason: null, iterations: null, usage: null, error: null };

/** What a run says at its end with a result; `log` is what the model said with its answer. */
export function finished(value: unknown, log: string): TimelessEvent[] {
  const result = asRunResult(value);
  // A workflow of somebody else's, in which agents may have run.
  if (result === undefined) return [ended({ status: 'completed', output: plainJson(value) })];
  const { output, stopReason, iterations, usage } = result;
  return [
    { type: 'finish', output, log: stopReason === 'final_answer' ? log : '' },
    ended({ status: statusOf(stopReason), stopReason, output, iterations, usage }),
  ];
}

/** What a run has used up so far, added up from what it recorded. */
export interface Spent {
  iterations: number;
  usage: Usage;
}

export function unfinished(
  status: 'failed' | 'cancelled',
  error: ErrorInfo | null,
  spent: Spent,
): TimelessEvent {
  return ended({ ...spent, status, stopReason: status === 'failed' ? 'error' : 'cancelled', error });
}

function ended(fields: Partial<Ended> & Pick<Ended, 'status'>): Ended {
  return { ...NOTHING, ...fields, type: 'run_ended' };
}
