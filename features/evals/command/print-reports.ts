import { replaceFile } from '../../../cli/batch/batch-results.ts';
import { colorsFor, table } from '../../../cli/shell/display.ts';
import { type Io, columnsOf, printColored, printJson } from '../../../cli/shell/io.ts';
import { count, oneLine } from '../../render/words/amounts.ts';
import { costWords, totalTokenWords } from '../../render/words/usage-words.ts';
import type { EvalReport } from '../rules/eval-report.ts';
import { failureLines, junitOf } from '../rules/junit.ts';
import type { CaseResult } from '../rules/score-case.ts';

/** Prints reports, and writes the JUnit file. */
export async function printReports(
  io: Io,
  reports: readonly EvalReport[],
  { json = false, junit }: { json?: boolean; junit?: string },
): Promise<void> {
  if (junit !== undefined) await replaceFile(junit, junitOf(reports));
  if (json) return printJson(io, { evals: reports });
  const { green, red, yellow } = colorsFor(io.stdout, io.env);
  const colors: { readonly [cell: string]: (text: string) => string } = { passed: green, waiting: yellow };
  const paint = (cell: string, column: number) => {
    const word = cell.trim();
    if (column > 0 || word === word.toUpperCase()) return cell;
    return (colors[word] ?? red)(cell);
  };
  const width = io.stdout.isTTY === true ? columnsOf(io.stdout) : Infinity;
  for (const report of reports) for (const line of reportLines(report, width, paint)) printColored(io, line);
}

type Paint = (cell: string, column: number) => string;

/** A table of the cases, the reasons of those that fail below each, and a summary. */
export function reportLines(report: EvalReport, width = Infinity, paint: Paint = (cell) => cell): string[] {
  const { cases, before } = report;
  const changes = new Map(before?.changes.map(({ key, change }) => [key, change]));
  const isCompared = before !== null;
  const head = ['RESULT', 'SCORE', ...(isCompared ? ['CHANGE'] : []), 'STEPS', 'TOKENS', 'CASE'];
  const rows = cases.map((one) => [
    resultWord(one),
    scoreWord(one.score),
    ...(isCompared ? [changes.get(one.key) ?? ''] : []),
    String(one.steps),
    String(one.usage.totalTokens),
    oneLine(one.input),
  ]);
  const [first = '', ...lines] = table([head, ...rows], width, paint);
  const detailed = lines.flatMap((line, index) => [line, ...detailLines(cases[index])]);
  return [first, ...detailed, '', ...summaryLines(report)];
}

function resultWord({ passed, status }: CaseResult): string {
  if (passed) return 'passed';
  return status === 'completed' ? 'failed' : status;
}

function detailLines(one: CaseResult | undefined): string[] {
  if (one === undefined || one.passed) return [];
  return [
    ...failureLines(one).map((line) => `  ${oneLine(line)}`),
    ...(one.status === 'missing' ? [] : [`  run ${oneLine(one.run)}`]),
  ];
}

function summaryLines({ id, total, passed, waiting, missing, score, usage, before }: EvalReport): string[] {
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
function scoreWord(score: number | null): string {
  return score === null ? '-' : String(Math.round(score * 100) / 100);
}
