import { exitCodes } from '../exit-codes.ts';
import { type Io, print, printJson, say } from '../io.ts';
import { oneLine } from '../print/display.ts';
import { type WebUi, runPage } from '../web-ui.ts';
import { amountOf } from './agree.ts';
import type { BulkOptions } from './bulk-options.ts';
import type { CarriedOut } from './carry-out.ts';
import { type Target, targetsTable } from './targets.ts';

/** Nothing is done: nothing fits, or only that was asked. */
export function reportNothing(
  io: Io,
  context: WebUi | undefined,
  name: string,
  targets: readonly Target[],
  { json = false }: BulkOptions,
): number {
  if (json) printJson(io, jsonOf(context, targets));
  else if (targets.length > 0) for (const line of targetsTable(targets, io.stdout.columns)) print(io, line);
  say(
    io,
    targets.length === 0
      ? `${name}: nothing fits.`
      : `${name} would be for ${amountOf(targets)}. Nothing was done.`,
  );
  return exitCodes.answered;
}

/** What was done, what was refused and why. */
export function reportDone(
  io: Io,
  context: WebUi,
  targets: readonly Target[],
  { done, refused, left }: CarriedOut,
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
