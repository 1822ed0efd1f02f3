import { UsageError } from '../exit-codes.ts';
import { type Io, ask, say } from '../io.ts';
import { count } from '../print/display.ts';
import type { BulkOptions } from './bulk-options.ts';
import { type Target, targetsTable } from './targets.ts';

/** Nobody is asked where nobody would answer. Throws UsageError. */
export function checkCanAsk(io: Io, name: string, { yes = false }: BulkOptions): void {
  if (yes || canAsk(io)) return;
  throw new UsageError(
    `${name} --all asks before it does anything, and this is no terminal. Look with --dry-run, then say --yes.`,
  );
}

function canAsk({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** What a person sees before they agree; the whole of it is what --dry-run is for. */
const MOST_ROWS = 50;

export async function agreed(
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
  return /^y(?:es)?$/iu.test(await ask(io, `${what} Go on? [y/N] `));
}

/** How much is decided on, in words. */
export function amountOf(targets: readonly Target[]): string {
  const runs = count(new Set(targets.map(({ run }) => run.id)).size, 'run');
  const areCalls = targets.some(({ waiting }) => waiting !== undefined);
  return areCalls ? `${count(targets.length, 'call')} of ${runs}` : runs;
}
