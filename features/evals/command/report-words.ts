import { count, oneLine } from '../../render/words/amounts.ts';
import { costWords, totalTokenWords } from '../../render/words/usage-words.ts';
import type { EvalReport } from '../rules/eval-report.ts';
import type { CaseResult } from '../rules/score-case.ts';

export function resultWord({ passed, status }: CaseResult): string {
  if (passed) return 'passed';
  return status === 'completed' ? 'failed' : status;
}

export function summaryLines({
  id,
  total,
  passed,
  waiting,
  missing,
  score,
  usage,
  before,
}: EvalReport): string[] {
  const amounts = [
    `${passed} of ${total} passed`,
    ...(waiting === 0 ? [] : [`${waiting} not over`]),
    ...(missing === 0 ? [] : [`${missing} not asked`]),
    `score ${scoreWord(score)}`,
    totalTokenWords(usage),
    ...costWords(usage),
  ];
  const lines = [`${oneLine(id)}: ${amounts.join(', ')}.`];
  if (before === null) return lines;
  const changed = count(before.changes.length, 'case') + ' changed';
  return [
    ...lines,
    `Before, ${oneLine(before.id)}: ${before.passed} passed, score ${scoreWord(before.score)}; ${changed}.`,
  ];
}

/** `1`, `0.5`, `0.67`; `-` where there is none. */
export function scoreWord(score: number | null): string {
  return score === null ? '-' : String(Math.round(score * 100) / 100);
}
