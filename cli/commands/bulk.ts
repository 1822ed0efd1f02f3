import { type DecisionName, effectOf } from '../../agent/rules/decisions.ts';
import { confirm, reportDone, reportNothing, requireConfirmable } from '../bulk/report-bulk.ts';
import type { BulkOptions } from '../options/bulk-options.ts';
import { applyAll } from '../bulk/apply.ts';
import { serveQueues, serveUntilSettled } from '../bulk/serve-bulk.ts';
import { type Target, endedRuns, fittingCalls, isForEnded, openRuns, whyNothing } from '../bulk/targets.ts';
import { type CliContext, neverStarted, withTemporal } from '../connection/context.ts';
import { type Io, UsageError, exitCodes, say, signalCodes } from '../shell/io.ts';
import { count } from '../../features/render/words/amounts.ts';
import { type ExpectedEnd, type ReasonOptions, wantedEnds } from './decide.ts';
import { type DecisionWords, typedDecision } from '../options/typed-decision.ts';
import { checkAgentName } from './list.ts';

/** One action on every target that fits. */
interface Bulk {
  name: string;
  find(context: CliContext): Promise<Target[]>;
  act(context: CliContext, target: Target): Promise<unknown>;
  /** The action is recorded only when a worker handles it. */
  needsWorker: boolean;
  /** When a run has settled, if this process is its worker. */
  settlesAt: 'once' | 'an end' | 'an end or a wait';
}

/** `reloop retry --all` and its kin: one decision on every waiting call that fits. */
export function decideAll(
  io: Io,
  type: DecisionName,
  typed: Omit<DecisionWords, 'call'>,
  options: BulkOptions,
): Promise<number> {
  if (type === 'retry' && isForEnded(options)) return retryEnded(io, typed, options);
  const decision = typedDecision(type, typed);
  return runBulk(io, options, {
    name: type,
    needsWorker: true,
    settlesAt: settledBy(wantedEnds[effectOf(decision).type]),
    async find(context) {
      const { targets, others } = await fittingCalls(io, context, type, options);
      if (others > 0) say(io, `Left out, because ${type} is not for them: ${count(others, 'waiting call')}.`);
      return targets;
    },
    // The number of the wait that was seen: a call that has moved on since is refused.
    act: ({ client }, { run, waiting }) => client.get(run.id).decide(waiting?.call, decision, waiting?.n),
  });
}

/** `reloop retry --all --status failed`: every run that is over and fits goes back to the calls that did not end. */
async function retryEnded(
  io: Io,
  { input }: Omit<DecisionWords, 'call'>,
  options: BulkOptions,
): Promise<number> {
  if (input !== undefined) {
    throw new UsageError(
      `--input is for a call that waits. In a run that is ${options.status}, name the run: retry ID CALL --input.`,
    );
  }
  return runBulk(io, options, {
    name: 'retry',
    needsWorker: false,
    settlesAt: 'an end or a wait',
    find: (context) => endedRuns(io, context, options),
    act: ({ client }, { run }) => client.get(run.id).retry(),
  });
}

/** `reloop cancel --all`: every open run that fits. Throws UsageError. */
export async function cancelAll(io: Io, options: BulkOptions & ReasonOptions): Promise<number> {
  if (options.reason !== undefined) {
    throw new UsageError('--reason is a text for a model about one call: cancel --all is about whole runs.');
  }
  return runBulk(io, options, {
    name: 'cancel',
    needsWorker: false,
    settlesAt: 'an end',
    find: (context) => openRuns(io, context, options),
    act: ({ client }, { run }) => client.get(run.id).cancel(),
  });
}

function settledBy(end: ExpectedEnd): Bulk['settlesAt'] {
  if (end === 'nothing') return 'once';
  return end === 'an answer' ? 'an end or a wait' : 'an end';
}

async function runBulk(io: Io, options: BulkOptions, bulk: Bulk): Promise<number> {
  const { dryRun = false } = options;
  if (!dryRun) requireConfirmable(io, bulk.name, options);
  if (await neverStarted(options)) return reportNothing(io, undefined, bulk.name, [], options);
  return withTemporal(io, options, async (context) => {
    const targets = await bulk.find(context);
    if (targets.length === 0 && options.agent !== undefined)
      await checkAgentName(context, options.agent, options);
    if (targets.length === 0) {
      const why = await whyNothing(context, bulk.name, options);
      return reportNothing(io, context, bulk.name, targets, options, why);
    }
    if (dryRun) return reportNothing(io, context, bulk.name, targets, options);
    if (!(await confirm(io, bulk.name, targets, options))) {
      say(io, 'Nothing was done.');
      return exitCodes.failed;
    }
    const queues = [...new Set(targets.map(({ run }) => run.taskQueue))];
    const served = await serveQueues(context, queues, options);
    const needed = bulk.needsWorker ? served : { ...served, unserved: new Map<string, string>() };
    const result = await applyAll(io, context, targets, needed, (target) => bulk.act(context, target));
    reportDone(io, context, targets, result, options);
    const ours = result.done.filter(({ run }) => served.ours.has(run.taskQueue));
    const signal = result.signal ?? (await untilSettled(io, context, bulk, ours, options));
    if (signal !== undefined) return signalCodes[signal];
    return result.refused.length === 0 ? exitCodes.answered : exitCodes.failed;
  });
}

async function untilSettled(
  io: Io,
  context: CliContext,
  { settlesAt }: Bulk,
  decided: readonly Target[],
  options: BulkOptions,
) {
  if (settlesAt === 'once') return undefined;
  return serveUntilSettled(io, context, decided, {
    ...options,
    untilWaiting: settlesAt === 'an end or a wait',
  });
}
