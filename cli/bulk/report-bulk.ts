import { type Io, UsageError, ask, exitCodes, print, printJson, say } from '../shell/io.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { type WebUi, runPage } from '../connection/web-ui.ts';
import type { BulkOptions } from '../options/bulk-options.ts';
import type { BulkResult } from './apply.ts';
import { type Target, targetsTable } from './targets.ts';

/** Reports that nothing was done: no target fits, and `why`; or it was a dry run. */
export function reportNothing(
  io: Io,
  context: WebUi | undefined,
  name: string,
  targets: readonly Target[],
  { json = false }: BulkOptions,
  why = 'There are no runs yet.',
): number {
  if (json) printJson(io, jsonOf(context, targets));
  else if (targets.length > 0) for (const line of targetsTable(targets, io.stdout.columns)) print(io, line);
  say(
    io,
    targets.length === 0
      ? `${name}: nothing fits. ${why}`
      : `${name} would be for ${amountOf(targets)}. Nothing was done.`,
  );
  return exitCodes.answered;
}

/** Reports which targets were decided, and which were refused and why. */
export function reportDone(
  io: Io,
  context: WebUi,
  targets: readonly Target[],
  { done, refused, left }: BulkResult,
  { json = false }: BulkOptions,
): void {
  const rest = left.length === 0 ? '' : `, ${left.length} left as they were`;
  say(io, `${done.length} done, ${refused.length} refused${rest}.`);
  for (const { target, message } of refused) {
    say(io, `  ${[oneLine(target.run.id), target.waiting?.call ?? ''].join(' ').trimEnd()}: ${message}`);
  }
  if (!json) return;
  printJson(io, {
    ...jsonOf(context, targets),
    done: done.length,
    refused: refused.map(({ target: { run, waiting }, message }) => ({
      id: run.id,
      call: waiting?.call,
      message,
    })),
  });
}

function jsonOf(context: WebUi | undefined, targets: readonly Target[]) {
  const found = targets.map(({ run, waiting }) => ({
    id: run.id,
    call: waiting?.call,
    tool: waiting?.tool,
    reason: waiting?.reason,
    url: context && runPage(context, run.id, run.runId),
  }));
  return { matched: targets.length, done: 0, refused: [], found };
}

/** Refuses to ask where no person can answer. Throws UsageError. */
export function requireConfirmable(io: Io, name: string, { yes = false }: BulkOptions): void {
  const { stdin, stderr } = io;
  if (yes || (stdin.isTTY === true && stderr.isTTY === true)) return;
  throw new UsageError(
    `${name} --all asks before it does anything, and this is not a terminal. Look with --dry-run, then say --yes.`,
  );
}

/** Rows that a person sees before they confirm; `--dry-run` prints all. */
const MOST_ROWS = 50;

/** Shows the targets and asks whether to continue, unless `--yes` has said so. */
export async function confirm(
  io: Io,
  name: string,
  targets: readonly Target[],
  { yes = false }: BulkOptions,
): Promise<boolean> {
  const shown = targets.slice(0, MOST_ROWS);
  for (const line of targetsTable(shown, io.stderr.columns)) say(io, line);
  if (shown.length < targets.length)
    say(io, `… and ${targets.length - shown.length} more: --dry-run prints all.`);
  const what = `${name}: ${amountOf(targets)}.`;
  if (yes) {
    say(io, what);
    return true;
  }
  return /^y(?:es)?$/iu.test(await ask(io, `${what} Continue? [y/N] `));
}

/** Number of targets as text: `3 calls of 2 runs`. */
function amountOf(targets: readonly Target[]): string {
  const runs = count(new Set(targets.map(({ run }) => run.id)).size, 'run');
  const areCalls = targets.some(({ waiting }) => waiting !== undefined);
  return areCalls ? `${count(targets.length, 'call')} of ${runs}` : runs;
}
