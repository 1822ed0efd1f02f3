import type { RunStatus, Json, Usage } from '../../../agent/values/vocabulary.ts';
import { noUsage } from '../../../agent/values/vocabulary.ts';
import {
  type Check,
  type EvalCase,
  type EvalRun,
  type FunctionCheck,
  type Verdict,
  isJudge,
} from './eval-definition.ts';

export interface CheckResult {
  check: string;
  /** A number from 0 to 1; null: there is no score yet, since a judge was not asked. */
  score: number | null;
  passed: boolean;
  reason: string | null;
}

/** A case with the scores of its run. */
export interface CaseResult {
  /** Digest of what is asked. The same case has the same key in each eval. */
  key: string;
  input: string;
  /** Id of the run. */
  run: string;
  /** `missing`: the case was not asked in this eval. */
  status: RunStatus | 'missing';
  passed: boolean;
  /** Mean of the checks' scores; null where a score is missing. */
  score: number | null;
  checks: CheckResult[];
  output: Json;
  /** `Type: message` of a failed run. */
  error: string | null;
  steps: number;
  /** Usage of the run. Judges have theirs in the usage of the report. */
  usage: Usage;
}

/** Scores a run. `run`: undefined for a case that was not asked. `verdicts`: those of judges, by the name of the check. */
export async function scoreCase(
  item: EvalCase & { key: string },
  id: string,
  run: EvalRun | undefined,
  checks: readonly Check[],
  verdicts: ReadonlyMap<string, Verdict>,
): Promise<CaseResult> {
  const { key, input } = item;
  const results: CheckResult[] = [];
  if (run !== undefined)
    for (const check of checks) results.push(resultOf(check, await verdict(check, run, item, verdicts)));
  const scores = results.flatMap(({ score }) => (score === null ? [] : [score]));
  const isScored = run !== undefined && scores.length === checks.length;
  return {
    key,
    input,
    run: id,
    status: run?.status ?? 'missing',
    passed: run?.status === 'completed' && results.every(({ passed }) => passed),
    score: isScored ? mean(scores) : null,
    checks: results,
    output: run?.output ?? null,
    error: run?.error ? `${run.error.type}: ${run.error.message}` : null,
    steps: run?.iterations ?? 0,
    usage: run?.usage ?? noUsage,
  };
}

/** Returns true for a case whose run waits for a person, or is under way. */
export function isOpenCase({ status }: Pick<CaseResult, 'status'>): boolean {
  return status === 'running' || status === 'waiting' || status === 'paused';
}

/** Returns null for an empty list, which has no mean. */
export function mean(scores: readonly number[]): number | null {
  if (scores.length === 0) return null;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

async function verdict(
  check: Check,
  run: EvalRun,
  item: EvalCase,
  verdicts: ReadonlyMap<string, Verdict>,
): Promise<Verdict | undefined> {
  if (!isJudge(check)) return scoreOf(check, run, item);
  if (run.status === 'completed' || isOpenCase(run)) return verdicts.get(check.name);
  return { score: 0, reason: 'there is no answer to judge' };
}

/** Calls a function of the user. */
async function scoreOf({ score }: FunctionCheck, run: EvalRun, item: EvalCase): Promise<Verdict> {
  try {
    const given: Verdict | undefined = await score(run, item); // JavaScript may return nothing
    return given ?? NaN;
  } catch (error) {
    return {
      score: 0,
      reason: `the check failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function resultOf({ name, atLeast }: Check, given: Verdict | undefined): CheckResult {
  if (given === undefined) return { check: name, score: null, passed: false, reason: 'not judged' };
  const { score, reason = null } = typeof given === 'object' ? given : { score: Number(given) };
  // JavaScript does not check types: a function may return anything.
  if (!(score >= 0 && score <= 1))
    return {
      check: name,
      score: 0,
      passed: false,
      reason: `the check returned no score from 0 to 1: ${String(score)}`,
    };
  return { check: name, score, passed: score >= atLeast, reason };
}
