import { isObject, withoutNulls } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { misstart } from '../start/misstart.ts';
import { type RunOverrides, checkOverrides } from '../start/overrides.ts';
import { isName } from '../session/session.ts';
import { jsonBytes, utf8Length } from '../values/digest.ts';
import { boundedText } from '../values/values.ts';
import type { LiveTools } from '../definition/recorded-agent.ts';
import type { RecordedRunRef } from '../run/run-input.ts';

export interface BacktestStart {
  agent: string;
  overrides?: RunOverrides | undefined;
  live?: LiveTools | undefined;
  concurrency: number;
  /** Recorded runs that are to be asked again. */
  runs: RecordedRunRef[];
}

export const CONCURRENT_AT_MOST = 100;
const USUAL_CONCURRENCY = 4;
/** Temporal takes ids of 1,000 bytes, and the id of a run of the backtest is made of two. */
const ID_BYTES = 990;

/** Reads the input of a backtest's workflow. Throws InvalidInput. */
export function readBacktestStart(sent: readonly unknown[], workflowId: string): BacktestStart {
  const [input, ...others] = sent;
  if (others.length > 0 || !isObject(input)) throw wrong('there is no input, or more than one object.');
  const { agent, overrides, live, concurrency = USUAL_CONCURRENCY, runs, ...more } = withoutNulls(input);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw wrong(`unknown field ${JSON.stringify(boundedText(unknown, 100))}.`);
  if (typeof agent !== 'string' || agent.trim() === '') throw wrong('agent is the name of an agent.');
  const problem = overrides === undefined ? undefined : checkOverrides(overrides);
  if (problem !== undefined) throw wrong(problem);
  if (live !== undefined && live !== 'none-effects') throw wrong('live is none-effects, or left out.');
  if (!Number.isInteger(concurrency) || Number(concurrency) < 1 || Number(concurrency) > CONCURRENT_AT_MOST)
    throw wrong(`concurrency is a whole number from 1 to ${CONCURRENT_AT_MOST}.`);
  checkRuns(runs, workflowId);
  if (jsonBytes(input) > limits.questionBytes)
    throw wrong('the ids of the runs are more than can be recorded at once. Start two backtests.');
  return {
    agent,
    overrides: overrides as RunOverrides | undefined,
    live,
    concurrency: Number(concurrency),
    runs,
  }; // just checked
}

function checkRuns(runs: unknown, workflowId: string): asserts runs is RecordedRunRef[] {
  const list: unknown[] = Array.isArray(runs) ? runs : [];
  if (list.length === 0) throw wrong('runs is a list of recorded runs.');
  const seen = new Set<string>();
  for (const run of list) {
    const id = isObject(run) && isName(run['runId']) && isName(run['workflowId']) && run['workflowId'];
    if (typeof id !== 'string') throw wrong('each of runs is {"workflowId":"…","runId":"…"}.');
    if (utf8Length(workflowId) + utf8Length(id) > ID_BYTES)
      throw wrong(`the id ${boundedText(id, 100)} is too long.`);
    // Two activities of one id at a time hang a workflow.
    if (seen.has(id)) throw wrong(`the run ${boundedText(id, 100)} stands there twice.`);
    seen.add(id);
  }
}

function wrong(problem: string) {
  return misstart('backtest', problem);
}
