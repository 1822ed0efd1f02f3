import type { FailedCall } from '../../agent/calls/failures.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import type { OperatorDecision } from '../../agent/rules/decisions.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import { type Call, type CallFact, newCall } from '../../agent/run/call-state.ts';
import type { CallContext } from '../../agent/run/next-action.ts';
import { sampleTool } from './manifest.ts';

/** Tools, facts and contexts for tests of the rules of a call. */

export const NOW = 1_000_000;
export const plain = sampleTool('echo', 'e');
export const asking: ToolManifest = { ...plain, onFailure: 'ask' };
export const once = sampleTool('pay', 'p', { effects: 'once', timeoutMs: 60_000 });
export const reconciling: ToolManifest = { ...once, reconciles: true };
export const human: ToolManifest = { ...plain, human: true };

export const during: CallContext = { overdue: false, nowMs: NOW, approved: undefined, done: [] };

const ran = { attempts: 1, ms: 10 };
const failure = (more: Partial<FailedCall> = {}): FailedCall => {
  return { error: { type: 'Error', message: 'it broke' }, checkpoint: undefined, mayPass: false, ...more };
};

export const succeeded = (result: object): CallFact => ({ type: 'succeeded', result, ...ran });
export const failed = (more?: Partial<FailedCall>): CallFact => ({
  type: 'failed',
  failed: failure(more),
  ...ran,
});
export const cancelled: CallFact = {
  type: 'cancelled',
  failed: failure({ error: { type: 'Cancelled', message: 'cancelled' } }),
  ...ran,
};
/** A worker died after the tool had begun to run. */
export const lost = failed({ timedOut: true, intent: { at: NOW, attempt: 1 } });
export const decided = (decision: OperatorDecision): CallFact => ({ type: 'decided', decision });
export const waits = (reason: WaitingReason, until?: number): CallFact => ({
  type: 'wait_started',
  reason,
  until,
  done: [],
});
export const undecided: CallFact = {
  type: 'unanswered',
  timeout: { afterMs: 1, unanswered: 'observe' },
};

/** `more`: fields of the model's action. */
export function callOf(tool: ToolManifest, more: object = {}): Call {
  const planned = { tool: tool.name, toolInput: 'x', ...more };
  return newCall({ id: '1.1', kind: 'tool', tool, planned, log: 'thought', firstN: 0 });
}
