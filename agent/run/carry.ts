import type { RestartedBy } from '../calls/restart.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { Counters } from '../limits/counters.ts';
import { newTrace, readTraceparent } from '../values/trace-context.ts';
import type { AgentRunInput, RestartPoint } from './run-input.ts';

/** Reason why another execution continues a run: its history is long (`continue`), or a person has restarted it. */
export type CarriedBy = 'continue' | RestartedBy;

/** State of a run that the next execution may keep. */
export interface Carried extends Omit<AgentRunInput, 'agents' | 'by' | 'counters' | 'restart'> {
  counters: Counters | RestartPoint['counters'];
  /** All agents that had the conversation. */
  agents: Iterable<AgentManifest>;
  /** The highest number of a schedule or a wait. Only for a restart. */
  lastN?: number | undefined;
}

type Field = Exclude<keyof AgentRunInput, 'by' | 'restart'>;

const ALL: readonly CarriedBy[] = ['continue', 'rewind', 'retry', 'fork'];
/** A fork is another run. */
const SAME_RUN: readonly CarriedBy[] = ['continue', 'rewind', 'retry'];

/** The executions that keep a field of the input. The others begin without it. */
const keeps: { readonly [F in Field]: readonly CarriedBy[] } = {
  agent: ALL,
  session: SAME_RUN,
  caller: SAME_RUN,
  batchRow: ['continue'],
  recorded: ['continue'],
  root: SAME_RUN,
  manifest: ALL,
  searchAttributes: ALL,
  events: ALL,
  trace: ALL,
  done: ALL,
  firstN: SAME_RUN,
  takenWords: SAME_RUN,
  agents: ALL,
  parentBudget: SAME_RUN,
  insteadOf: SAME_RUN,
  said: ['rewind', 'retry', 'fork'],
  question: ALL,
  overrides: ALL,
  from: ALL,
  pending: ALL,
  counters: ALL,
};

/** Fields of a run that has no transcript yet. */
const AT_START: readonly Field[] = ['parentBudget', 'insteadOf', 'question', 'overrides'];

/** Makes the input of the execution that continues a run. A restart adds its `restart`. */
export function carry({ lastN, ...run }: Carried, by: CarriedBy): AgentRunInput {
  const others = [...run.agents].filter(({ name }) => name !== run.manifest?.name);
  const state: Omit<AgentRunInput, 'by' | 'restart'> = {
    ...run,
    agents: unlessEmpty(others),
    done: unlessEmpty(run.done),
    takenWords: unlessEmpty(run.takenWords),
    said: unlessEmpty(run.said),
    firstN: lastN === undefined ? run.firstN || undefined : lastN + 1,
    // A fork starts a new trace, which is recorded if the first run's is.
    trace: by === 'fork' ? forkTrace(run.trace) : run.trace,
    counters: countersFor(by, run.counters),
  };
  const fields = Object.keys(keeps) as Field[]; // has every field
  const kept = fields.filter(
    (field) => keeps[field].includes(by) && (run.from === undefined || !AT_START.includes(field)),
  );
  return { agent: run.agent, ...Object.fromEntries(kept.map((field) => [field, state[field]])) };
}

/** The clock of a restarted run begins at the time of the step. People gave approvals and more limits to a run, not to its forks. */
function countersFor(by: CarriedBy, counters: Carried['counters']): Counters {
  if (by === 'continue' && 'startedAtMs' in counters) return counters;
  const { approved: _approved, allowance: _allowance, ...others } = counters;
  return { ...(by === 'fork' ? others : counters), startedAtMs: 0, waitedMs: 0 };
}

function forkTrace(trace: string | undefined): string | undefined {
  const first = trace === undefined ? undefined : readTraceparent(trace);
  return first && newTrace(first.sampled);
}

function unlessEmpty<T>(list: T[] | undefined): T[] | undefined {
  return list?.length === 0 ? undefined : list;
}
