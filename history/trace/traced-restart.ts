import { freshCounters } from '../../agent/limits/counters.ts';
import { type Restart, type RestartedEvent, isDropped } from '../../agent/calls/restart.ts';
import type { RewindPoint } from '../../agent/run/rewind-point.ts';
import { restartedEvent } from '../../agent/run/transcript-edits.ts';
import type { AgentRunInput } from '../../workflows/messages.ts';
import type { TracedCall } from './traced-calls.ts';

interface RunId {
  id: string;
  runId: string;
}

/** Tells that a run repeats steps of another one, and forgets the dropped calls. */
export function begunAgain(
  input: AgentRunInput | undefined,
  run: RunId,
  calls: Map<string, TracedCall>,
): RestartedEvent[] {
  if (input?.restart === undefined) return [];
  const event = restartedEvent(run, input.restart, input.pending, input.counters ?? freshCounters(0));
  drop(event, calls);
  giveInputs(input.restart, calls);
  return [event];
}

/** A run has rewound itself. */
export function rewound(
  { counters }: RewindPoint,
  run: RunId,
  calls: Map<string, TracedCall>,
): RestartedEvent {
  const restart = { by: 'rewind', step: counters.iterations + 1, from: { runId: run.runId } } as const;
  const event = restartedEvent(run, restart, undefined, counters);
  drop(event, calls);
  return event;
}

/** Forgets the dropped calls; the kept ones wait for nobody. */
function drop(event: RestartedEvent, calls: Map<string, TracedCall>): void {
  const again = event.again && []; // the calls of a turn that is taken up again are known already
  for (const call of calls.values()) {
    if (isDropped(call.id, { step: event.step, again })) calls.delete(call.id);
    Object.assign(call, {
      waitsFor: undefined,
      outlivesLost: false,
      unsettled: undefined,
      cancelled: undefined,
      kept: [],
    });
  }
}

/** A call of a turn that is taken up again has the input that the retry gives it. */
function giveInputs({ step, turn }: Restart, calls: ReadonlyMap<string, TracedCall>): void {
  const decision = turn?.turn.decision;
  if (decision?.type !== 'act') return;
  decision.actions.forEach(({ toolInput }, index) => {
    const call = calls.get(`${step}.${index + 1}`);
    if (call?.isOpen === true) call.action = { ...call.action, toolInput };
  });
}
