import type { TimelessEvent } from '../agent/events.ts';
import { resultEnd, toldByTool } from '../agent/rules/call-rules.ts';
import { type ErrorInfo, type Usage, noUsage } from '../agent/vocabulary.ts';
import type { Fact } from './fact.ts';
import { type Pending, type TracedCall, settleByRule, step, unrecorded } from './traced-calls.ts';
import { failedOnce } from './traced-doubt.ts';

type WorkEnded = Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/** How the run stands in which a call has ended. */
interface RunStanding {
  /** It recorded neither waits nor the purpose of its timers. */
  isLegacy: boolean;
  /** Its time limit has been reached. */
  isOverdue: boolean;
  /** It is being cancelled as a whole. */
  ending: boolean;
}

/** What the end of a tool's activity, or of a sub-agent's run, says of its call, and what it has used up. */
export async function toolEnded(
  call: TracedCall,
  { attempts }: Pick<Pending, 'attempts'>,
  fact: WorkEnded,
  standing: RunStanding,
): Promise<{ events: TimelessEvent[]; usage: Usage }> {
  if (fact.type === 'succeeded') return succeeded(call, attempts, await fact.result(), standing);
  const usage = (fact.type === 'failed' ? (await fact.failure?.())?.usage : undefined) ?? noUsage;
  return { events: await unsuccessful(call, attempts, fact, standing), usage };
}

function succeeded(
  call: TracedCall,
  attempts: number,
  result: unknown,
  standing: RunStanding,
): { events: TimelessEvent[]; usage: Usage } {
  if (call.tool === undefined) return { events: [], usage: noUsage };
  const end = resultEnd(call.tool, result, call.byPerson && !standing.isLegacy);
  switch (end.type) {
    case 'end':
      return { events: step(call, end.end.observation), usage: end.end.usage ?? noUsage };
    case 'deferred':
      call.unsettled = { type: 'deferred', note: end.note };
      return { events: [], usage: end.usage ?? noUsage };
    case 'failed':
      return { events: failed(call, attempts, end.error, standing), usage: noUsage };
  }
}

async function unsuccessful(
  call: TracedCall,
  attempts: number,
  fact: Exclude<WorkEnded, { type: 'succeeded' }>,
  standing: RunStanding,
): Promise<TimelessEvent[]> {
  if (call.tool === undefined) return [];
  if (call.tool.effects === 'once') return failedOnce(call, fact, attempts);
  if (fact.type === 'failed') return failed(call, attempts, await fact.error(), standing);
  call.unsettled = { type: 'cancelled' };
  return standing.isLegacy ? settleByRule(call, standing.isOverdue, standing.ending) : [];
}

function failed(
  call: TracedCall,
  attempts: number,
  error: ErrorInfo,
  { isLegacy, isOverdue }: RunStanding,
): TimelessEvent[] {
  if (call.tool !== undefined && toldByTool(call.tool, error)) return step(call, error.message);
  call.unsettled = { type: 'failed', error };
  const failure: TimelessEvent = { type: 'tool_failed', call: call.id, error, attempts };
  return isLegacy ? [failure, ...unrecorded(call, error, isOverdue)] : [failure];
}
