import { AWAIT_SUCCESSOR, type RunEnd } from '../agent/successor.ts';
import type { Fact } from './fact.ts';
import { asRunEnd } from './records.ts';

/** What the facts mean where a sub-agent's own run was taken back. */
export interface Successions {
  next(fact: Fact): Promise<Fact[]>;
}

type Lost = Extract<Fact, { type: 'failed' }>;
type Ended = Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/**
 * A sub-agent's run that a rewind has terminated goes on as another one, which is nobody's child: an activity waits for it,
 * and what that comes to is the sub-agent's end. The first end is told only where nobody waits for another.
 */
export function createSuccessions(): Successions {
  /** Sub-agents' runs, by the fact that began each. */
  const runs = new Map<string, string>();
  /** Runs that were terminated, until the workflow has said what it makes of that. */
  const lost = new Map<string, { fact: Lost; tasks: number }>();
  /** By the activity that waits. */
  const awaited = new Map<string, Lost>();

  return {
    async next(fact) {
      switch (fact.type) {
        case 'started':
          runs.clear();
          lost.clear();
          awaited.clear();
          return [fact];
        case 'begun':
          if (fact.of === 'child' && fact.runId !== undefined) runs.set(fact.key, fact.runId);
          return [fact];
        case 'succeeded':
        case 'failed':
        case 'cancelled':
          return ended(fact);
        case 'scheduled':
          if (fact.name === AWAIT_SUCCESSOR && waits(fact.key, fact.workId)) return [];
          return fact.name === 'callModel' ? [...given(), fact] : [fact];
        case 'task_completed':
          return [...given(({ tasks }) => tasks > 0), fact];
        case 'timer_started':
        case 'run_continued':
        case 'run_succeeded':
        case 'run_failed':
        case 'run_cancelled':
          return [...given(), fact];
        default:
          return [fact];
      }
    },
  };

  async function ended(fact: Ended): Promise<Fact[]> {
    const child = awaited.get(fact.key);
    if (child !== undefined) {
      if (fact.type === 'cancelled' && fact.requested) return [];
      awaited.delete(fact.key);
      return [await endOf(child, fact)];
    }
    const runId = runs.get(fact.key);
    if (fact.type !== 'failed' || fact.terminated !== true || runId === undefined) return [fact];
    lost.set(runId, { fact, tasks: 0 });
    return [];
  }

  function waits(key: string, workId: string): boolean {
    const runId = [...lost.keys()].find((id) => workId.endsWith(id));
    const child = lost.get(runId ?? '');
    if (runId === undefined || child === undefined) return false;
    lost.delete(runId);
    awaited.set(key, child.fact);
    return true;
  }

  /** Ends that stand, as nobody waits for another. The workflow says so in the first task after it. */
  function given(isSure: (held: { tasks: number }) => boolean = () => true): Fact[] {
    return [...lost].flatMap(([runId, held]) => {
      if (!isSure(held)) {
        held.tasks++;
        return [];
      }
      lost.delete(runId);
      return [held.fact];
    });
  }
}

/** The activity's end as that of the sub-agent's run. */
async function endOf(child: Lost, fact: Ended): Promise<Fact> {
  const { id, at } = fact;
  if (fact.type !== 'succeeded') return { ...fact, of: 'child', key: child.key };
  const end: RunEnd = asRunEnd(await fact.result()) ?? { type: 'none' };
  const { of, key } = child;
  switch (end.type) {
    case 'none':
      return { ...child, id, at };
    case 'failed':
      return { type: 'failed', id, at, of, key, error: async () => end.error };
    case 'result':
      return { type: 'succeeded', id, at, of, key, result: async () => end.result };
  }
}
