import type { LongRun, ShortRuns } from './measures.ts';
import { type Results, comparedPairs, median, ofContestant, ratios } from './results.ts';

/** One column: of which measures, and what of them. */
interface Column<M> {
  head: string;
  measured: M[];
  value(one: M): number;
  digits: number;
}

/** The tables as text. */
export function printedResults({ longRuns, shortRuns }: Results): string {
  const tables = [
    ...(longRuns.length === 0 ? [] : [`ms a step of one run\n${table(longRuns, longColumns(longRuns))}`]),
    ...(shortRuns.length === 0
      ? []
      : [`runs of ${shortRuns[0]?.steps} steps\n${table(shortRuns, shortColumns(shortRuns))}`]),
  ];
  return tables.join('\n\n');
}

function longColumns(all: LongRun[]): Column<LongRun>[] {
  const sizes = [...new Set(all.map(({ steps }) => steps))].toSorted((a, b) => a - b);
  const most = sizes.at(-1);
  const measured = all.filter(({ steps }) => steps === most);
  return [
    ...sizes.map((size) => ({
      head: `${size}`,
      measured: all.filter(({ steps }) => steps === size),
      value: (one: LongRun) => one.msPerStep,
      digits: 1,
    })),
    { head: 'first tenth', measured, value: (one) => one.firstTenthMs, digits: 1 },
    { head: `last of ${most}`, measured, value: (one) => one.lastTenthMs, digits: 1 },
    { head: 'bytes/step', measured, value: (one) => one.bytesPerStep, digits: 0 },
    { head: 'events/step', measured, value: (one) => one.eventsPerStep, digits: 1 },
    { head: 'actions/step', measured, value: (one) => one.actionsPerStep, digits: 2 },
  ];
}

/** Processor time where many run side by side. */
const CPU_AT = 16;

function shortColumns(all: ShortRuns[]): Column<ShortRuns>[] {
  const levels = [...new Set(all.map(({ concurrency }) => concurrency))].toSorted((a, b) => a - b);
  const at = levels.includes(CPU_AT) ? CPU_AT : levels.at(-1);
  const measured = all.filter(({ concurrency }) => concurrency === at);
  return [
    ...levels.map((level) => ({
      head: `runs/s at ${level}`,
      measured: all.filter(({ concurrency }) => concurrency === level),
      value: (one: ShortRuns) => one.runsPerSecond,
      digits: 1,
    })),
    { head: `worker CPU ms/step at ${at}`, measured, value: (one) => one.workerCpuMs, digits: 1 },
    { head: 'server CPU ms/step', measured, value: (one) => one.serverCpuMs, digits: 1 },
  ];
}

/** A line a contestant, then the ratios of Reloop to what it is compared with. */
function table<M extends { contestant: string; round: number; end?: string; stepsTaken?: number }>(
  all: readonly M[],
  columns: Column<M>[],
): string {
  const names = [...new Set(all.map(({ contestant }) => contestant))];
  return aligned([
    ['', ...columns.map(({ head }) => head)],
    ...names.map((name) => [name, ...columns.map((column) => cell(column, name))]),
    ...comparedPairs(names).map((pair) => [
      pair.join('/'),
      ...columns.map(({ measured, value }) => spread(ratios(measured, pair, value), 2)),
    ]),
  ]);
}

function cell<M extends { contestant: string; end?: string; stepsTaken?: number }>(
  { measured, value, digits }: Column<M>,
  name: string,
): string {
  const unanswered = measured.find(
    ({ contestant, end = 'answered' }) => contestant === name && end !== 'answered',
  );
  if (unanswered !== undefined) return `${unanswered.end} at ${unanswered.stepsTaken}`;
  return spread(ofContestant(measured, name, value), digits);
}

/** `48.2 (44.0-56.1)`: the median, the least and the most of the rounds. */
function spread(values: readonly number[], digits: number): string {
  const middle = median(values);
  if (Number.isNaN(middle)) return '-';
  const [least, most] = [Math.min(...values), Math.max(...values)].map((one) => one.toFixed(digits));
  return least === most ? middle.toFixed(digits) : `${middle.toFixed(digits)} (${least}-${most})`;
}

/** Columns of one width each; the first to the left, the others to the right. */
export function aligned(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  const line = (row: string[]) =>
    row
      .map((text, index) => (index === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[index] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}
