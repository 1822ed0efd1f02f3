import type { Json } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { typedCommand } from '../../client/connect/cli-name.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import type { RestartReceipt } from '../../client/restart/restart-run.ts';
import {
  type OpenedRun,
  attended,
  serve,
  untilItsCodeIsSaved,
  workFor,
} from '../connection/command-worker.ts';
import { type CliContext, withHistory } from '../connection/context.ts';
import { runPage, sayPage } from '../connection/web-ui.ts';
import { followToEnd } from '../follow/finish.ts';
import type { CommonOptions } from '../options/options.ts';
import { type OverrideOptions, overridesIn } from '../options/override-options.ts';
import { jsonOrText } from '../options/typed-decision.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { type Io, UsageError, exitCodes, print, printJson, say } from '../shell/io.ts';

/** `reloop rewind`: does a step of a run again, and all later steps. */
export function rewind(io: Io, id: string, options: CommonOptions & { step: string }): Promise<number> {
  const step = stepOf('rewind', id, options.step);
  return withHistory(io, options, id, (context, run) =>
    restart(io, { context, run }, options, async () => {
      const receipt = await run.rewind({ step });
      return { receipt, line: `Run ${oneLine(id)} continues from step ${step}` };
    }),
  );
}

interface ForkOptions extends CommonOptions, OverrideOptions {
  step: string;
  say?: string;
  /** Observations as they were typed, by call. */
  edit?: { [call: string]: string };
  id?: string;
}

/** `reloop fork`: a separate run with the steps of another one. Prints its id. */
export function fork(io: Io, from: string, options: ForkOptions): Promise<number> {
  const { say: message, edit = {}, id } = options;
  const step = stepOf('fork', from, options.step);
  const edits = Object.fromEntries(Object.entries(edit).map(([call, text]) => [call, jsonOrText(text)]));
  return withHistory(io, options, from, (context, run) =>
    restart(io, { context, run }, options, async () => {
      const receipt = await run.fork({ ...overridesIn(options), step, say: message, edits, id });
      if (options.json !== true) print(io, receipt.id);
      return {
        receipt,
        line: `Run ${oneLine(receipt.id)} continues from step ${step} of run ${oneLine(from)}`,
      };
    }),
  );
}

/** `reloop retry` of a run that is over: it goes back to where it failed. */
export function retryRun(
  io: Io,
  context: CliContext,
  run: AgentRun,
  given: { call?: string | undefined; input?: Json | undefined },
  options: CommonOptions,
): Promise<number> {
  return restart(io, { context, run }, options, async () => {
    const receipt = await run.retry(given);
    const { calls, step, runId } = receipt;
    const where = calls.length === 0 ? `step ${step}` : `call ${calls.join(', ')}`;
    return { receipt, line: `Run ${oneLine(run.id)} continues from ${where}, as run ${runId}` };
  });
}

/**
 * Restarts a run, and continues as after any decision: if this process has to be the worker of the run, it stays until the
 * run ends or waits; otherwise it ends at once. `act` starts the run; `line` says so.
 */
async function restart(
  io: Io,
  { context, run: from }: Pick<OpenedRun, 'context' | 'run'>,
  options: CommonOptions,
  act: () => Promise<{ receipt: RestartReceipt; line: string }>,
): Promise<number> {
  await untilItsCodeIsSaved(context);
  // An open run rewinds itself, with a worker.
  const { ours: isServed } = await workFor(context, from, options);
  const { receipt, line } = await attended(
    context,
    () => locationOfRun(context.client.temporal, from.id),
    act,
  );
  const { json = false } = options;
  say(io, line);
  sayPage(io, context, receipt.id);
  if (json) printJson(io, { ...receipt, url: runPage(context, receipt.id) });
  const run = context.client.get(receipt.id);
  const ours =
    isServed || (await serve(context, await locationOfRun(context.client.temporal, run.id), options));
  if (!ours) return exitCodes.answered;
  const how = { untilWaiting: true, onInterrupt: 'leave', printed: json ? 'nothing' : 'answer' } as const;
  return followToEnd(io, { context, run, ours }, options, how);
}

/** A step as it is typed. A sub-agent's has the call in front that the sub-agent is: it is a step of another run. */
function stepOf(verb: string, id: string, text: string): number {
  if (/^\d+$/u.test(text)) return Number(text);
  const path = text.split('/');
  const own = path.pop() ?? '';
  const below = [id, ...path].join('/');
  throw new UsageError(
    path.length > 0
      ? `${verb}: ${text} is a step of a sub-agent, which has its own run: ${typedCommand(verb, [below])} with step ${own}.`
      : `${verb}: ${text} is not a step. A step is a whole number: that of the model call, 3 for call 3.1.`,
  );
}
