import { withoutSchedule } from '../../agent/calls/calls.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import { resultEnd, toldByTool } from '../../agent/rules/call-rules.ts';
import { type ErrorInfo, type Usage, noUsage } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import { type Pending, type TracedCall, deferred, step } from './traced-calls.ts';
import { failedOnce } from './traced-doubt.ts';

type WorkEnded = Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/** What the end of a tool's activity, or of a sub-agent's run, says of its call, and what it has used up. */
export async function toolEnded(
  call: TracedCall,
  { attempts }: Pick<Pending, 'attempts'>,
  fact: WorkEnded,
): Promise<{ events: TimelessEvent[]; usage: Usage }> {
  if (fact.type === 'succeeded') return succeeded(call, attempts, await fact.result());
  const usage = (fact.type === 'failed' ? (await fact.failure?.())?.usage : undefined) ?? noUsage;
  return { events: await unsuccessful(call, attempts, fact), usage };
}

function succeeded(
  call: TracedCall,
  attempts: number,
  result: unknown,
): { events: TimelessEvent[]; usage: Usage } {
  if (call.tool === undefined) return { events: [], usage: noUsage };
  const end = resultEnd(call.tool, result, call.byPerson);
  switch (end.type) {
    case 'end':
      return { events: step(call, end.end.observation), usage: end.end.usage ?? noUsage };
    case 'deferred':
      return { events: deferred(call, end.note, end.token), usage: end.usage ?? noUsage };
    case 'failed':
      return { events: failed(call, attempts, end.error), usage: noUsage };
  }
}

async function unsuccessful(
  call: TracedCall,
  attempts: number,
  fact: Exclude<WorkEnded, { type: 'succeeded' }>,
): Promise<TimelessEvent[]> {
  if (call.tool === undefined) return [];
  if (call.tool.effects === 'once') return failedOnce(call, fact, attempts);
  if (fact.type === 'failed') return failed(call, attempts, await fact.error());
  call.unsettled = { type: 'cancelled' };
  return [];
}

function failed(call: TracedCall, attempts: number, error: ErrorInfo): TimelessEvent[] {
  if (call.tool !== undefined && toldByTool(call.tool, error)) return step(call, error.message);
  call.unsettled = { type: 'failed', error };
  return [{ type: 'tool_failed', call: call.id, error, attempts }];
}

/** The usage that a cancelled sub-agent has signaled. */
export function usedBySubAgent(calls: ReadonlyMap<string, TracedCall>, signal: unknown): Usage {
  const used = runSignals.childUsed(signal);
  const call = calls.get(withoutSchedule(used?.caller ?? ''));
  return used !== undefined && call?.isOpen === true ? used.usage : noUsage;
}
