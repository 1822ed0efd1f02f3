import type { TimelessEvent } from '../../agent/run/events.ts';
import { finished } from '../../agent/run/run-result.ts';
import { plainJson } from '../../agent/values/values.ts';
import { asRunResult } from '../read/records.ts';

/** Events of a successful end. A custom workflow may run agents, and its result may have any form. */
export function withResult(value: unknown, log: string): TimelessEvent[] {
  const result = asRunResult(value);
  if (result !== undefined) return finished(result, log);
  const none = { stopReason: null, iterations: null, usage: null, error: null };
  return [{ type: 'run_ended', status: 'completed', output: plainJson(value), ...none }];
}
