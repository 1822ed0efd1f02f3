import { type CallIntent, type ToolResult, parseActivityId } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import type { FailedCall } from '../../agent/calls/failures.ts';
import { toldByTool } from '../../agent/rules/call-rules.ts';
import { aftermath, reconciledEnd, withIntent } from '../../agent/rules/doubt.ts';
import { type ErrorInfo, type Usage, noUsage } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import { calledIn } from '../read/scheduled-call.ts';
import { type TracedCall, step } from './traced-calls.ts';

/** Calls that may take effect once only: what their failures mean, and what their tools said of them later. */

/** Of an external activity whose cancellation was asked for, nothing else is recorded. */
const cancelledByRequest: FailedCall = {
  error: { type: 'Cancelled', message: 'The call was cancelled' },
  checkpoint: undefined,
  mayPass: false,
};

export async function failedOnce(
  call: TracedCall,
  { type, failure }: Extract<Fact, { type: 'failed' | 'cancelled' }>,
  attempts: number,
): Promise<TimelessEvent[]> {
  const { id, tool } = call;
  if (tool === undefined) return [];
  const after = aftermath(
    tool,
    withIntent((await failure?.()) ?? cancelledByRequest, call.intent),
    call.lost,
  );
  call.intent = undefined;
  if (type === 'cancelled' && after.type !== 'doubt') {
    call.unsettled = { type: 'cancelled' };
    return [];
  }
  const { error } = after;
  if (toldByTool(tool, error)) return step(call, error.message);
  if (after.type === 'again') call.lost++;
  call.unsettled = { type: 'failed', error, ...(after.type === 'doubt' ? { inDoubt: 'unasked' } : {}) };
  return [{ type: 'tool_failed', call: id, error, attempts }];
}

/** Anybody may send a signal. */
export function intended(
  calls: ReadonlyMap<string, TracedCall>,
  told: Partial<CallIntent> | undefined,
): void {
  const parsed = parseActivityId(String(told?.activityId));
  const call = parsed && calls.get(calledIn(parsed.scope, parsed.call));
  if (call !== undefined) call.intent = told?.intent;
}

/** The next schedule of the call asks its tool what became of the one before. */
export function isReconciling({ tool, unsettled }: TracedCall): boolean {
  return tool?.reconciles === true && unsettled?.type === 'failed' && unsettled.inDoubt === 'unasked';
}

/** The wait for the call's lost attempt has ended, and no person has ended it. */
export function lostAttemptOver(call: TracedCall | undefined): TimelessEvent[] {
  if (call?.outlivesLost !== true) return [];
  call.outlivesLost = false;
  call.waitsFor = undefined;
  return [{ type: 'resumed', call: call.id }];
}

/** `result`: undefined where the tool could not say; `error`: why. */
export function reconciled(call: TracedCall, result: unknown, error: ErrorInfo | undefined): TimelessEvent[] {
  const { id, tool, unsettled } = call;
  if (tool === undefined || unsettled?.type !== 'failed') return [];
  const said = result === undefined ? ({ type: 'unknown' } as const) : reconciledEnd(tool, result);
  const found = said.type === 'end' ? 'done' : said.type;
  const told: TimelessEvent = { type: 'reconciled', call: id, found, ...(error && { error }) };
  if (said.type === 'end') return [told, ...step(call, said.end.observation)];
  if (said.type === 'notDone') call.lost++;
  unsettled.inDoubt = 'asked';
  return [told];
}

export function usageOf(result: unknown): Usage {
  return (result as ToolResult | undefined)?.usage ?? noUsage; // written by our runner
}
