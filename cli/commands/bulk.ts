import { type DecisionName, type OperatorDecision, effectOf } from '../../agent/rules/decisions.ts';
import type { BulkOptions } from '../bulk/bulk-options.ts';
import { type CarriedOut, carryOut } from '../bulk/carry-out.ts';
import { serveQueues } from '../bulk/serve-queues.ts';
import { stayFor } from '../bulk/stay.ts';
import { type Target, fittingCalls, openRuns, targetsTable } from '../bulk/targets.ts';
import { type CliContext, neverStarted } from '../context.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type Io, ask, print, printJson, say } from '../io.ts';
import { count, oneLine } from '../print/display.ts';
import { runPage } from '../web-ui.ts';
import { withTemporal } from '../with-run.ts';
import { type ReasonOptions, type Typed, typedDecision } from './decide.ts';
import { checkAgentName } from './list.ts';

/** What is done to everything that fits. */
interface Bulk {
  /** As the command is called. */
  name: string;
  find(context: CliContext): Promise<Target[]>;
  act(context: CliContext, target: Target): Promise<unknown>;
  /** It takes a worker to be recorded. */
  takesWorker: boolean;
  /** What runs come to, where this process is their worker. */
  staysFor: 'nothing' | 'an end' | 'an end or a wait';
}

/** `reloop retry --all` and its kin: one decision on every waiting call that fits. */
export function decideAll(
  io: Io,
  type: DecisionName,
  typed: Omit<Typed, 'call'>,
  options: BulkOptions,
): Promise<number> {
  const decision = typedDecision(type, typed);
  return carryOutAll(io, options, {
    name: type,
    takesWorker: true,
    staysFor: comesTo(decision),
    async find(context) {
      const { targets, others } = await fittingCalls(io, context, type, options);
      if (others > 0)
        say(io, `${count(others, 'waiting call')} of these filters cannot be decided by ${type}.`);
      return targets;
    },
    // The number of the wait that was seen: a call that has moved on since is refused.
    act: ({ client }, { run, waiting }) => client.get(run.id).decide(waiting?.call, decision, waiting?.n),
  });
}

/** `reloop cancel --all`: every open run that fits. */
export function cancelAll(io: Io, options: BulkOptions & ReasonOptions): Promise<number> {
  if (options.reason !== undefined) {
    throw new UsageError('--reason is what a model is told of one call: cancel --all is about whole runs.');
  }
  return carryOutAll(io, options, {
    name: 'cancel',
    takesWorker: false,
    staysFor: 'an end',
    find: (context) => openRuns(io, context, options),
    act: ({ client }, { run }) => client.get(run.id).cancel(),
  });
}

function comesTo(decision: OperatorDecision): Bulk['staysFor'] {
  switch (effectOf(decision).type) {
    case 'none':
      return 'nothing';
    case 'fail':
      return 'an end';
    case 'again':
    case 'end':
    case 'cancel':
      return 'an end or a wait';
  }
}

async function carryOutAll(io: Io, options: BulkOptions, bulk: Bulk): Promise<number> {
  const { dryRun = false } = options;
  if (!dryRun) checkCanAsk(io, bulk, options);
  if (await neverStarted(options)) return finish(io, undefined, bulk, [], options);
  return withTemporal(io, options, async (context) => {
    const targets = await bulk.find(context);
    if (targets.length === 0 && options.agent !== undefined)
      await checkAgentName(context, options.agent, options);
    if (dryRun || targets.length === 0) return finish(io, context, bulk, targets, options);
    if (!(await agreed(io, bulk, targets, options))) {
      say(io, 'Nothing was done.');
      return exitCodes.failed;
    }
    const queues = [...new Set(targets.map(({ run }) => run.taskQueue))];
    const served = await serveQueues(context, queues, options);
    const needed = bulk.takesWorker ? served : { ...served, unserved: new Map<string, string>() };
    const result = await carryOut(io, context, targets, needed, (target) => bulk.act(context, target));
    report(io, context, targets, result, options);
    const signal =
      result.signal ??
      (await stay(
        io,
        context,
        bulk,
        result.done.filter(({ run }) => served.ours.has(run.taskQueue)),
        options,
      ));
    if (signal !== undefined) return signal === 'SIGTERM' ? exitCodes.terminated : exitCodes.cancelled;
    return result.refused.length === 0 ? exitCodes.answered : exitCodes.failed;
  });
}

/** Nobody is asked where nobody would answer. */
function checkCanAsk(io: Io, { name }: Bulk, { yes = false }: BulkOptions): void {
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

async function agreed(io: Io, { name }: Bulk, targets: readonly Target[], { yes = false }: BulkOptions) {
  const shown = targets.slice(0, MOST_ROWS);
  for (const line of targetsTable(shown, io.stderr.columns)) say(io, line);
  if (shown.length < targets.length)
    say(io, `… and ${targets.length - shown.length} more: --dry-run prints all.`);
  const what = `${name}: ${amount(targets)}.`;
  if (yes) {
    say(io, what);
    return true;
  }
  return /^y(?:es)?$/iu.test(await ask(io, `${what} Go on? [y/N] `));
}

function amount(targets: readonly Target[]): string {
  const runs = count(new Set(targets.map(({ run }) => run.id)).size, 'run');
  const areCalls = targets.some(({ waiting }) => waiting !== undefined);
  return areCalls ? `${count(targets.length, 'call')} of ${runs}` : runs;
}

/** Nothing is done: nothing fits, or only that was asked. */
function finish(
  io: Io,
  context: CliContext | undefined,
  { name }: Bulk,
  targets: readonly Target[],
  { json = false }: BulkOptions,
): number {
  if (json) printJson(io, jsonOf(context, targets));
  else if (targets.length > 0) for (const line of targetsTable(targets, io.stdout.columns)) print(io, line);
  say(
    io,
    targets.length === 0
      ? `${name}: nothing fits.`
      : `${name} would be for ${amount(targets)}. Nothing was done.`,
  );
  return exitCodes.answered;
}

function report(
  io: Io,
  context: CliContext,
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

function jsonOf(context: CliContext | undefined, targets: readonly Target[]) {
  const found = targets.map(({ run, waiting }) => ({
    id: run.id,
    call: waiting?.call,
    tool: waiting?.tool,
    reason: waiting?.reason,
    url: context && runPage(context, run.id, run.runId),
  }));
  return { matched: targets.length, done: 0, refused: [], found };
}

async function stay(
  io: Io,
  context: CliContext,
  { staysFor }: Bulk,
  decided: readonly Target[],
  options: BulkOptions,
) {
  if (staysFor === 'nothing') return undefined;
  return stayFor(io, context, decided, { ...options, untilWaiting: staysFor === 'an end or a wait' });
}
