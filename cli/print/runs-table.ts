import stringWidth from 'string-width';
import type { RunSummary } from '../../client/read/list-runs.ts';
import { boundedText } from '../../agent/values/values.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { costWords } from '../../features/render/words/usage-words.ts';
import { duration, oneLine } from '../../features/render/words/amounts.ts';
import { type Colors, localTime, localZone, table } from '../shell/display.ts';

/** Cells that a question has at least, while there is something less useful to leave out. */
const QUESTION_CELLS = 20;

/** Columns of a list of runs, latest first; one for waits only if a run waits. A narrow terminal gets fewer. */
export function runsTable(
  runs: readonly RunSummary[],
  width = Infinity,
  colors: Pick<Colors, 'yellow'> = { yellow: String },
  nowMs = Date.now(),
): string[] {
  const [full = [], ...narrower] = [0, 1, 2].map((left) => rowsOf(runs, left, nowMs));
  const rows =
    [full, ...narrower].find((some) => fixedCells(some) + QUESTION_CELLS <= width) ?? narrower.at(-1) ?? full;
  const [head = []] = rows;
  const isWaiting = (cell: string, column: number) => head[column] === 'STATUS' && cell.trim() === 'waiting';
  return table(rows, width, (cell, column) => (isWaiting(cell, column) ? colors.yellow(cell) : cell));
}

/** `left`: how much of the less useful is left out. 1: the seconds; 2: also the status, where all runs have the same. */
function rowsOf(runs: readonly RunSummary[], left: number, nowMs: number): string[][] {
  const anyWaits = runs.some((run) => waitingWords(run, nowMs) !== '');
  const sameStatus = new Set(runs.map(({ status }) => status)).size <= 1;
  const hasStatus = left < 2 || !sameStatus;
  const isFull = runs.some(({ output }) => output !== undefined);
  const rows = runs.map(({ id, status, agent, startedAt, input, ...rest }) => [
    oneLine(id),
    ...(hasStatus ? [status] : []),
    oneLine(agent),
    localTime(startedAt).slice(0, left === 0 ? undefined : -SECONDS.length),
    ...(anyWaits ? [waitingWords(rest, nowMs)] : []),
    ...(isFull ? outcomeWords(rest) : []),
    oneLine(input),
  ]);
  const status = hasStatus ? ['STATUS'] : [];
  const full = isFull ? ['TOKENS', 'COST', 'RESULT'] : [];
  return [
    [
      'ID',
      ...status,
      'AGENT',
      left === 0 ? `STARTED (${localZone()})` : 'STARTED',
      ...(anyWaits ? ['WAITS FOR YOU'] : []),
      ...full,
      'QUESTION',
    ],
    ...rows,
  ];
}

/** Characters of an answer or an error in a table. */
const RESULT_CHARS = 60;

function outcomeWords({
  output = null,
  error,
  usage,
}: Pick<RunSummary, 'output' | 'error' | 'usage'>): string[] {
  const result = error ? `${error.type}: ${error.message}` : output === null ? '' : asText(output);
  return [
    usage === undefined ? '' : String(usage.totalTokens),
    usage === undefined ? '' : costWords(usage).join(),
    boundedText(oneLine(result), RESULT_CHARS),
  ];
}

const SECONDS = ':00';

/** Cells of all columns but the last, with the gaps. */
function fixedCells(rows: string[][]): number {
  const [head = []] = rows;
  const widths = head
    .slice(0, -1)
    .map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))));
  return widths.reduce((sum, cells) => sum + cells + 2, 0);
}

type Halts = Pick<RunSummary, 'waiting' | 'pausedCalls' | 'pausedInTemporal'>;

function waitingWords({ waiting = [], pausedCalls = [], pausedInTemporal }: Halts, nowMs: number): string {
  if (pausedInTemporal !== undefined) return 'paused in Temporal';
  const paused = pausedCalls.map(({ call }) => `${oneLine(call)} paused in Temporal`);
  return [...(waiting.length === 0 ? [] : [waitWords(waiting, nowMs)]), ...paused].join(', ');
}

function waitWords([first, ...more]: NonNullable<RunSummary['waiting']>, nowMs: number): string {
  if (first === undefined) return '';
  const others = more.length === 0 ? '' : ` (+${more.length})`;
  const until = first.until === undefined ? '' : ` until ${localTime(new Date(first.until)).slice(11)}`;
  const waitedMs = nowMs - (first.since ?? nowMs);
  const time = waitedMs < 60_000 ? '' : `, ${duration(waitedMs)}`;
  return `${calledWords(first)} ${oneLine(first.reason)}${until}${others}${time}`;
}

/** The tool's name; `model` for a model call. */
export function toolWord(tool: string): string {
  return tool === MODEL_CALL ? 'model' : oneLine(tool);
}

const MODEL_CALL = 'callModel';

/** `3.1 report`, `step 3: model`. */
function calledWords({ call, tool }: { call: string; tool: string }): string {
  return tool === MODEL_CALL ? `step ${oneLine(call)}: model` : `${oneLine(call)} ${oneLine(tool)}`;
}
