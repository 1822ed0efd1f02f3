import { type DecisionName, type OperatorDecision, effectOf } from '../../agent/rules/decisions.ts';
import { agreed, checkCanAsk } from '../bulk/agree.ts';
import type { BulkOptions } from '../bulk/bulk-options.ts';
import { carryOut } from '../bulk/carry-out.ts';
import { reportDone, reportNothing } from '../bulk/report-bulk.ts';
import { serveQueues } from '../bulk/serve-queues.ts';
import { stayFor } from '../bulk/stay.ts';
import { type Target, fittingCalls, openRuns } from '../bulk/targets.ts';
import { type CliContext, neverStarted } from '../context.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { type Io, say } from '../io.ts';
import { count } from '../print/display.ts';
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
      if (others > 0) say(io, `Left out, because ${type} is not for them: ${count(others, 'waiting call')}.`);
      return targets;
    },
    // The number of the wait that was seen: a call that has moved on since is refused.
    act: ({ client }, { run, waiting }) => client.get(run.id).decide(waiting?.call, decision, waiting?.n),
  });
}

/** `reloop cancel --all`: every open run that fits. Throws UsageError. */
export async function cancelAll(io: Io, options: BulkOptions & ReasonOptions): Promise<number> {
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
    case 'stop':
      return 'an end';
    case 'again':
    case 'end':
    case 'cancel':
      return 'an end or a wait';
  }
}

async function carryOutAll(io: Io, options: BulkOptions, bulk: Bulk): Promise<number> {
  const { dryRun = false } = options;
  if (!dryRun) checkCanAsk(io, bulk.name, options);
  if (await neverStarted(options)) return reportNothing(io, undefined, bulk.name, [], options);
  return withTemporal(io, options, async (context) => {
    const targets = await bulk.find(context);
    if (targets.length === 0 && options.agent !== undefined)
      await checkAgentName(context, options.agent, options);
    if (dryRun || targets.length === 0) return reportNothing(io, context, bulk.name, targets, options);
    if (!(await agreed(io, bulk.name, targets, options))) {
      say(io, 'Nothing was done.');
      return exitCodes.failed;
    }
    const queues = [...new Set(targets.map(({ run }) => run.taskQueue))];
    const served = await serveQueues(context, queues, options);
    const needed = bulk.takesWorker ? served : { ...served, unserved: new Map<string, string>() };
    const result = await carryOut(io, context, targets, needed, (target) => bulk.act(context, target));
    reportDone(io, context, targets, result, options);
    const ours = result.done.filter(({ run }) => served.ours.has(run.taskQueue));
    const signal = result.signal ?? (await stay(io, context, bulk, ours, options));
    if (signal !== undefined) return signal === 'SIGTERM' ? exitCodes.terminated : exitCodes.cancelled;
    return result.refused.length === 0 ? exitCodes.answered : exitCodes.failed;
  });
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
