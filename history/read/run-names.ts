import type { Fact } from './fact.ts';

/**
 * The ids a run goes by. Temporal's reset copies a history into a run of another id, so what was recorded before it names
 * the run that was given up; what it speaks of is in the copy as well, and there it stays.
 */
export interface RunNames {
  /** The run that is read now. */
  workflowId: string;
  runId: string;
  /** What a recorded run id (none: the own) stands for among the runs read so far; any other is itself. */
  now(runId: string | undefined): string;
}

export const noNames: RunNames = { workflowId: '', runId: '', now: (runId) => runId ?? '' };

/** Goes on with one more fact. */
export function withNames(names: RunNames, fact: Fact): RunNames {
  if (fact.type === 'started') return called(names, fact, [fact.originalRunId]);
  if (fact.type === 'reset') return called(names, names, [fact.fromRunId, fact.runId]);
  return names;
}

function called(
  before: RunNames,
  { workflowId, runId }: Pick<RunNames, 'workflowId' | 'runId'>,
  others: string[],
): RunNames {
  return {
    workflowId,
    runId,
    now: (asked) => (asked === undefined || others.includes(asked) ? runId : before.now(asked)),
  };
}
