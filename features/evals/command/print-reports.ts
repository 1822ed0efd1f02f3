import { replaceFile } from '../../../cli/batch/batch-results.ts';
import { colorsFor, table } from '../../../cli/shell/display.ts';
import { checkOutFile } from '../../../cli/options/out-file.ts';
import { type Io, columnsOf, printColored, printJson } from '../../../cli/shell/io.ts';
import { oneLine } from '../../render/words/amounts.ts';
import type { EvalReport } from '../rules/eval-report.ts';
import { failureLines, junitOf } from '../rules/junit.ts';
import type { CaseResult } from '../rules/score-case.ts';
import { resultWord, scoreWord, summaryLines } from './report-words.ts';

/** Files that the results are also written to. */
export interface ReportFiles {
  junit?: string;
  html?: string;
}

/** Throws UsageError for a file that cannot be written, before anything is asked. */
export async function checkReportFiles({ junit, html }: ReportFiles): Promise<void> {
  for (const file of [junit, html]) if (file !== undefined) await checkOutFile(file);
}

/** Prints reports, and writes the files. */
export async function printReports(
  io: Io,
  reports: readonly EvalReport[],
  { json = false, junit, html }: { json?: boolean } & ReportFiles,
): Promise<void> {
  if (junit !== undefined) await replaceFile(junit, junitOf(reports));
  if (html !== undefined) await replaceFile(html, (await import('./eval-page.ts')).evalPage(reports));
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

function detailLines(one: CaseResult | undefined): string[] {
  if (one === undefined || one.passed) return [];
  return [
    ...failureLines(one).map((line) => `  ${oneLine(line)}`),
    ...(one.status === 'missing' ? [] : [`  run ${oneLine(one.run)}`]),
  ];
}
