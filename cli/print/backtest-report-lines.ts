import type { BacktestReport, BacktestedRun } from '../../agent/backtest/backtest-report.ts';
import { type Verdict, verdicts } from '../../agent/backtest/compare-runs.ts';
import type { OutlinedDecision, RunEnding } from '../../agent/backtest/outline.ts';
import { type Usage, asText } from '../../agent/values/vocabulary.ts';
import type { Output } from '../shell/io.ts';
import { costWords } from '../../features/render/words/usage-words.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { type Colors, fit, padTo } from '../shell/display.ts';

/** The verdicts of the JSON, as a reader says them. */
const WORDS: { [V in Verdict]: string } = {
  same: 'same',
  answer: 'answer differs',
  decisions: 'decisions differ',
  not_recorded: 'not recorded',
  failed: 'failed',
};

const BAR_CELLS = 24;

/** `[######------] 12/40 · 10 same · 2 changed`. */
export function progressBar({ runs, total, totals }: BacktestReport): string {
  const full = total === 0 ? BAR_CELLS : Math.floor((runs.length / total) * BAR_CELLS);
  const bar = '#'.repeat(full).padEnd(BAR_CELLS, '-');
  return `[${bar}] ${runs.length}/${total} · ${totals.same} same · ${totals.changed} changed`;
}

/** `decisions differ from step 3`. */
export function verdictWords({ verdict, difference, sameSteps }: BacktestedRun): string {
  if (verdict === 'same') return `${WORDS.same} (${count(sameSteps, 'step')})`;
  return difference === null ? WORDS[verdict] : `${WORDS[verdict]} from step ${difference.step}`;
}

/** A whole report: the runs that changed, side by side, and the sums. */
export function reportLines(report: BacktestReport, colors: Colors, { columns = 120 }: Output): string[] {
  const changed = report.runs.filter(({ verdict }) => verdict !== 'same');
  const { totals, total, runs } = report;
  const counts = verdicts.flatMap((verdict) =>
    totals[verdict] === 0 && verdict !== 'same' ? [] : [`${totals[verdict]} ${WORDS[verdict]}`],
  );
  return [
    ...changed.flatMap((run) => [...changedLines(run, colors, columns), '']),
    `${count(total, 'run')}: ${counts.join(' · ')}${runs.length < total ? ` · ${total - runs.length} not asked` : ''}`,
    `tokens: ${tokenWords(totals.before, totals.after)}`,
    ...costLines(totals.before, totals.after),
  ];
}

function changedLines(run: BacktestedRun, colors: Colors, columns: number): string[] {
  const { id, difference, before, after, error } = run;
  const rows: (readonly [string, string])[] = [];
  if (difference !== null) {
    rows.push(['step before', decisionWords(difference.before, before)]);
    rows.push(['step after', decisionWords(difference.after, after)]);
  }
  const answered = difference?.before?.type === 'finish' && difference.after?.type === 'finish';
  if (!answered && before !== null && after !== null) {
    const [was, is] = [endingWords(before), endingWords(after)];
    if (was === is) rows.push(['answer', was]);
    else rows.push(['answer before', was], ['answer after', is]);
  }
  if (error !== null) rows.push(['error', `${error.type}: ${error.message}`]);
  return [
    `${colors.bold(oneLine(id))}  ${colors.yellow(verdictWords(run))}`,
    ...rows.map(([name, text]) => fit(`  ${colors.dim(padTo(name, 13))}  ${oneLine(text)}`, columns)),
  ];
}

/** The decision; the end of the run if it had already ended. */
function decisionWords(decided: OutlinedDecision | null, ending: RunEnding | null): string {
  switch (decided?.type) {
    case 'act':
      return decided.actions.map(({ tool, toolInput }) => `${tool} ${asText(toolInput)}`).join(' | ');
    case 'finish':
      return `answer: ${asText(decided.output)}`;
    case 'fail':
      return `${decided.error.type}: ${decided.error.message}`;
    case 'stop':
      return 'stopped: the same action again and again';
    case undefined:
      return `nothing: the run was over (${ending?.stopReason ?? ending?.status ?? 'unknown'})`;
  }
}

function endingWords({ status, output, error }: RunEnding): string {
  if (error !== null) return `${error.type}: ${error.message}`;
  return status === 'completed' || status === 'stopped' ? asText(output) : status;
}

/** A change of sums that leave calls out says nothing. */
function tokenWords(before: Usage, after: Usage): string {
  const isKnown = [before, after].every(
    ({ totalTokens, uncountedCalls = 0 }) => totalTokens > 0 && uncountedCalls === 0,
  );
  const change = isKnown
    ? ` (${percent((after.totalTokens - before.totalTokens) / before.totalTokens)})`
    : '';
  return `${tokensIn(before)} before, ${tokensIn(after)} after${change}`;
}

function tokensIn({ totalTokens, uncountedCalls = 0 }: Usage): string {
  return `${uncountedCalls === 0 ? '' : 'at least '}${totalTokens.toLocaleString('en-US')}`;
}

/** Lines for usage with a known price. */
function costLines(before: Usage, after: Usage): string[] {
  const [then, now] = [costWords(before), costWords(after)];
  if (then.length + now.length === 0) return [];
  return [`cost: ${then[0] ?? 'unknown'} before, ${now[0] ?? 'unknown'} after`];
}

function percent(share: number): string {
  const rounded = Math.round(share * 100);
  return `${rounded > 0 ? '+' : ''}${rounded} %`;
}
