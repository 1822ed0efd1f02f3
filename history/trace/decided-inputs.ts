import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { withApproved } from '../../agent/rules/approval.ts';
import { effectOf } from '../../agent/rules/decisions.ts';
import type { Json } from '../../agent/values/vocabulary.ts';

/** Inputs that people gave, and inputs that people approved, by call of one turn. */
export interface DecidedInputs {
  readonly given: ReadonlyMap<string, Json>;
  readonly approved: ReadonlyMap<string, Json>;
}

export function createDecidedInputs() {
  const given = new Map<string, Json>();
  const approved = new Map<string, Json>();
  const waiting = new Map<string, WaitingCall>();
  return {
    inputs: { given, approved } satisfies DecidedInputs,
    next(event: RunEvent): void {
      if (event.type === 'waiting') waiting.set(event.wait.call, event.wait);
      const wait = event.type === 'decided' ? waiting.get(event.call) : undefined;
      if (event.type !== 'decided' || wait === undefined) return;
      const { call, decision } = event;
      const effect = effectOf(decision);
      if (effect.type !== 'again') return;
      if (effect.input !== undefined) given.set(call, effect.input);
      if (decision.type === 'approve') approved.set(call, effect.input ?? wait.toolInput);
    },
    /** Adds the decision to the approvals for the rest of the run, if it is such an approval. */
    approvals(call: string, decision: OperatorDecision, remembered?: string[]): string[] | undefined {
      const wait = waiting.get(call);
      const input = approved.get(call);
      const what = decision.type === 'approve' ? decision.remember : undefined;
      if (what === undefined || wait === undefined || input === undefined) return remembered;
      return withApproved(remembered, wait.tool, input, what);
    },
    /** Clears the inputs before another turn: after a rewind its calls have the same ids. */
    clear(): void {
      given.clear();
      approved.clear();
    },
  };
}
