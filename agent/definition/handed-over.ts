import type { AgentManifest } from './manifest.ts';

/** The agent that takes a run over: its definition, with the limits of the run and the facts that belong to the run. */
export function takingOver(
  target: AgentManifest,
  { maxIterations, maxExecutionTimeMs, budget, onLimit, context, tenant, priority, tags }: AgentManifest,
): AgentManifest {
  return {
    ...target,
    maxIterations,
    maxExecutionTimeMs,
    budget,
    onLimit,
    context,
    tenant,
    priority,
    tags,
    tookOver: true,
  };
}

/** Names an agent's model: another one cannot read its provider's data. */
export function modelKey({ adapter, model }: Pick<AgentManifest, 'adapter' | 'model'>): string {
  return `${adapter} ${model}`;
}

/** Returns true for an agent of a run that may have several. */
export function isOneOfSeveral({ tookOver, tools }: AgentManifest): boolean {
  return tookOver === true || tools.some(({ handoff }) => handoff !== undefined);
}

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
