import { type Usage, addUsage, noUsage } from '../../../agent/values/vocabulary.ts';
import { type CaseResult, isOpenCase, mean } from './score-case.ts';

/** The results of an eval, as `reloop eval --json` prints them; the field names are a contract. */
export interface EvalReport {
  /** Id of these results, and a tag of their runs. */
  id: string;
  eval: string;
  agent: string;
  total: number;
  passed: number;
  failed: number;
  /** Cases whose runs have not ended: they wait for a person, or are under way. */
  waiting: number;
  /** Cases that were not asked. */
  missing: number;
  /** Mean of the scores of all cases that have one; null: none has. */
  score: number | null;
  /** Usage of the cases' runs and of the judges'. */
  usage: Usage;
  cases: CaseResult[];
  /** The results that these were compared with; null: there are no others. */
  before: EvalBefore | null;
}

export interface EvalBefore {
  id: string;
  passed: number;
  score: number | null;
  /** Cases that went another way. */
  changes: CaseChange[];
}

/** A case that passes and did not, does not and did, or has another score. */
export interface CaseChange {
  key: string;
  input: string;
  change: 'fixed' | 'broken' | 'better' | 'worse';
  scoreBefore: number | null;
  score: number | null;
}

export function reportOf(
  { id, eval: name, agent }: Pick<EvalReport, 'id' | 'eval' | 'agent'>,
  cases: CaseResult[],
  judges: readonly Usage[],
): EvalReport {
  const passed = cases.filter((one) => one.passed).length;
  const waiting = cases.filter(isOpenCase).length;
  const missing = cases.filter(({ status }) => status === 'missing').length;
  return {
    id,
    eval: name,
    agent,
    total: cases.length,
    passed,
    failed: cases.length - passed - waiting - missing,
    waiting,
    missing,
    score: mean(cases.flatMap(({ score }) => (score === null ? [] : [score]))),
    usage: [...cases.map(({ usage }) => usage), ...judges].reduce(addUsage, noUsage),
    cases,
    before: null,
  };
}

/** Adds what changed since earlier results of the same eval. Cases that one of them does not have are left out. */
export function comparedWith(report: EvalReport, before: EvalReport | undefined): EvalReport {
  if (before === undefined) return report;
  const earlier = new Map(before.cases.map((one) => [one.key, one]));
  const changes = report.cases.flatMap((one): CaseChange[] => {
    const former = earlier.get(one.key);
    const change = former && changeOf(former, one);
    if (change === undefined) return [];
    return [{ key: one.key, input: one.input, change, scoreBefore: former?.score ?? null, score: one.score }];
  });
  const { id, passed, score } = before;
  return { ...report, before: { id, passed, score, changes } };
}

function changeOf(before: CaseResult, now: CaseResult): CaseChange['change'] | undefined {
  if (!isOver(before) || !isOver(now)) return undefined;
  if (before.passed !== now.passed) return now.passed ? 'fixed' : 'broken';
  if (before.score === null || now.score === null || before.score === now.score) return undefined;
  return now.score > before.score ? 'better' : 'worse';
}

/** Returns true for a case that has been asked, and scored by all its checks. */
function isOver(one: CaseResult): boolean {
  return one.status !== 'missing' && !isOpenCase(one) && one.score !== null;
}
