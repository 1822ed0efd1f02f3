import type { Fact } from './fact.ts';

/**
 * Maps a recorded run id to the run whose history has its records now. Temporal's reset copies a history into a run with another run id.
 * References in the copy still name the run before the reset; the copy has the referenced events as well.
 */
export interface RunNames {
  /** The run that is being read. */
  workflowId: string;
  runId: string;
  /** Returns the run that has the records of a recorded run id. undefined: the run that is being read. */
  current(runId: string | undefined): string;
}

export const noNames: RunNames = { workflowId: '', runId: '', current: (runId) => runId ?? '' };

/** Adds the names of one more fact. */
export function withNames(names: RunNames, fact: Fact): RunNames {
  if (fact.type === 'started') return withAliases(names, fact, [fact.originalRunId]);
  if (fact.type === 'reset') return withAliases(names, names, [fact.fromRunId, fact.runId]);
  return names;
}

function withAliases(
  before: RunNames,
  { workflowId, runId }: Pick<RunNames, 'workflowId' | 'runId'>,
  aliases: string[],
): RunNames {
  return {
    workflowId,
    runId,
    current: (name) => (name === undefined || aliases.includes(name) ? runId : before.current(name)),
  };
}
