import { type Restart, type RestartedEvent, callsWithoutEnd } from '../calls/restart.ts';
import type { Json, Usage } from '../values/vocabulary.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { Entry, StepEntry } from '../transcript/entries.ts';

/**
 * Replaces the models of a definition, and all that goes with them: the price, the window that a compaction keeps to. Another model may have limits
 * where the former had none.
 */
export function withModelOf(
  pinned: AgentManifest,
  { adapter, model, price, fallbacks, holdsBack, compaction }: AgentManifest,
): AgentManifest {
  const own = pinned.compaction && {
    ...pinned.compaction,
    window: compaction?.window ?? pinned.compaction.window,
  };
  return { ...pinned, adapter, model, price, fallbacks, holdsBack, compaction: own };
}

/** Replaces the observations of calls. An edited entry has its observation in place, not a reference to a recorded result. */
export function withObservations(entries: readonly Entry[], edits: ReadonlyMap<string, Json>): Entry[] {
  return entries.map((entry) => {
    const observation = entry.type === 'step' ? edits.get(entry.call) : undefined;
    if (entry.type !== 'step' || observation === undefined) return entry;
    const { ref: _, ...step } = entry;
    return { ...step, observation };
  });
}

/** Returns the observations that a person has changed. */
export function editsOf(
  { edited = [] }: Pick<Restart, 'edited'>,
  pending: readonly Entry[] = [],
): { call: string; observation: Json }[] {
  return pending
    .filter((entry): entry is StepEntry => entry.type === 'step' && edited.includes(entry.call))
    .map(({ call, observation }) => ({ call, observation }));
}

/** Makes the event of a restart. `pending`: entries that the next model call adds to the transcript. */
export function restartedEvent(
  run: { id: string; runId: string },
  restart: Pick<Restart, 'by' | 'sender' | 'step' | 'from' | 'turn' | 'edited'>,
  pending: readonly Entry[] | undefined,
  { iterations, usage }: { iterations: number; usage: Usage },
): RestartedEvent {
  const { by, sender, step, from, turn } = restart;
  const edits = editsOf(restart, pending);
  return {
    type: 'restarted',
    by,
    ...(sender !== undefined && { sender }),
    step,
    ...run,
    from: { id: from.workflowId ?? run.id, runId: from.runId },
    iterations,
    usage,
    again: turn && callsWithoutEnd(step, turn),
    edits: edits.length === 0 ? undefined : edits,
  };
}
