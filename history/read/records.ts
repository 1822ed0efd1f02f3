import type { CallModelInput, ResolvedAgent } from '../../agent/calls/calls.ts';
import type { DoneCall } from '../../agent/calls/restart.ts';
import type { RewindPoint, TakenWord } from '../../agent/run/run-input.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import {
  decisionNames,
  decisionOf,
  type DecisionReceipt,
  type OperatorDecision,
  withoutToken,
} from '../../agent/rules/decisions.ts';
import {
  readRunMessage,
  type RunMessage,
  runMessageNames,
  type RunMessageReceipt,
} from '../../agent/rules/run-messages.ts';
import type { Summarized } from '../../agent/session/session.ts';
import type { RecordedResult } from '../../workflows/messages.ts';

/**
 * Readers of Reloop's recorded values. Each returns undefined for a value without the fields of that record: a history may belong to
 * another workflow, and other programs may send signals and updates to a run.
 */

/** The receipt of a decision or of a message to a run. */
export function asReceipt(value: unknown): TakenWord['receipt'] | undefined {
  return (
    shaped<DecisionReceipt>(value, { call: 'string', decision: 'string' }) ??
    shaped<RunMessageReceipt>(value, { message: 'string' })
  );
}

export function asRunResult(value: unknown): RecordedResult | undefined {
  return shaped<RecordedResult>(value, { stopReason: 'string', iterations: 'number', usage: 'object' });
}

export function asRewindPoint(value: unknown): RewindPoint | undefined {
  return shaped<RewindPoint>(value, {
    from: 'object',
    pending: 'object',
    counters: 'object',
    firstN: 'number',
  });
}

export function asCallModelInput(value: unknown): CallModelInput | undefined {
  return shaped<CallModelInput>(value, { base: 'number', prev: 'string', delta: 'object' });
}

export function asResolvedAgent(value: unknown): ResolvedAgent | undefined {
  return shaped<ResolvedAgent>(value, { manifest: 'object' });
}

export function asDoneCalls(value: unknown): DoneCall[] {
  const list: unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap(
    (item) => shaped<DoneCall>(item, { call: 'string', tool: 'string', input: 'string' }) ?? [],
  );
}

export function asSummarized(value: unknown): Summarized | undefined {
  return shaped<Summarized>(value, { summary: 'string' });
}

/** Reads a person's decision. `answered`: the run's receipt, which names the call. `sent`: data of the update. */
export function asDecision(
  answered: unknown,
  sent: unknown,
): { call: string; decision: OperatorDecision; isKept: boolean } | undefined {
  const receipt = shaped<DecisionReceipt>(answered, { call: 'string', n: 'number', decision: 'string' });
  if (receipt === undefined || !decisionNames.includes(receipt.decision)) return undefined;
  const isKept = receipt.kept === true; // the token is compared when the call defers
  const decision = decisionOf(receipt.decision, fieldsOf(sent));
  return { call: receipt.call, decision: isKept ? decision : withoutToken(decision), isKept };
}

/** Reads a person's message to the whole run. `answered`: the run's receipt. `sent`: data of the update. */
export function asRunMessage(answered: unknown, sent: unknown): RunMessage | undefined {
  const receipt = shaped<RunMessageReceipt>(answered, { message: 'string' });
  const name = runMessageNames.find((known) => known === receipt?.message);
  if (name === undefined) return undefined;
  try {
    return readRunMessage(name, sent);
  } catch {
    return undefined; // an update of another workflow with a similar receipt
  }
}

/** Types of a record's required fields. */
type Shape<T> = { [F in keyof T]?: 'string' | 'number' | 'object' };

function shaped<T extends object>(value: unknown, shape: Shape<T>): T | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const fits = Object.entries(shape).every(([name, type]) => {
    const field = fields.get(name);
    return typeof field === type && field !== null;
  });
  return fits ? (value as T) : undefined; // it has the required fields
}
