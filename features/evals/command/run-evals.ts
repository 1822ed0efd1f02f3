import { areTags, TAGS_RULE } from '../../../agent/definition/run-tags.ts';
import type { BatchResult } from '../../../client/api/batch.ts';
import { shellWord, typedCommand } from '../../../client/connect/cli-name.ts';
import { temporalSettings } from '../../../client/connect/connect.ts';
import { AgentRunCancelled, AgentRunFailed } from '../../../client/connect/errors.ts';
import { checkId, newRunId } from '../../../client/start/run-id.ts';
import { type WatchedBatch, watchedBatch } from '../../../cli/batch/watched-batch.ts';
import { checkModel, checkOverrides, loadCommandConfig } from '../../../cli/connection/command-config.ts';
import { nobodyWorks, serve, untilItsCodeIsSaved } from '../../../cli/connection/command-worker.ts';
import { type CliContext, withTemporal } from '../../../cli/connection/context.ts';
import { namedQueue, queuesOf } from '../../../cli/connection/task-queue.ts';
import { type CommonOptions, flagsToRepeat } from '../../../cli/options/options.ts';
import { type Io, UsageError, exitCodes, say, signalCodes } from '../../../cli/shell/io.ts';
import { count, oneLine } from '../../render/words/amounts.ts';
import { type Eval, caseInputs, judgeInputs, readEval } from '../client/eval-runs.ts';
import { findEvals } from '../client/find-evals.ts';
import { type EvalReport, comparedWith } from '../rules/eval-report.ts';
import { agentsOf } from '../rules/eval-definition.ts';
import { evalNames, readEvalCases } from './eval-cases.ts';
import { type ReportFiles, checkReportFiles, printReports } from './print-reports.ts';

interface RunOptions extends CommonOptions, ReportFiles {
  id?: string;
  model?: string;
  concurrency?: number;
}

/** `reloop eval`: asks the cases of evals, has the answers judged, and prints the scores of the recorded runs. */
export async function runEvals(io: Io, name: string | undefined, options: RunOptions): Promise<number> {
  const { model } = options;
  await checkReportFiles(options);
  const config = await loadCommandConfig(options.config);
  const { loaded } = config;
  const names = evalNames(loaded, name);
  const ids = names.map((one) => idOf(one, names.length, options));
  const evals: Eval[] = [];
  for (const one of names) evals.push(await readEvalCases(loaded, one));
  for (const { agent } of evals) checkOverrides(loaded, agent, { model });
  return withTemporal(io, { ...options, loaded }, async (context) => {
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    if (temporalSettings(options).address === undefined && (await nobodyWorks(context, taskQueue)))
      for (const one of evals)
        for (const agent of agentsOf(one, one.cases))
          checkModel(loaded, agent, agent === one.agent ? model : undefined);
    await untilItsCodeIsSaved(context);
    await serve(context, { open: true, taskQueue }, options);
    const reports: EvalReport[] = [];
    for (const [index, one] of evals.entries()) {
      const id = ids[index] ?? '';
      const concurrency = options.concurrency ?? loaded.evals[one.name]?.concurrency;
      const again =
        options.id === undefined
          ? ` To continue it later: the same with ${[one.name, '--id', id].map(shellWord).join(' ')}.`
          : '';
      say(io, `Eval ${oneLine(id)}: ${count(one.cases.length, 'case')} for ${oneLine(one.agent)}.${again}`);
      const signal = await askAll(io, context, { one, id, taskQueue, model, concurrency });
      if (signal !== undefined) {
        const typed = typedCommand('eval', [one.name], ['--id', shellWord(id), ...flagsToRepeat(options)]);
        say(io, `Runs under way continue wherever a worker serves them. To continue the eval: ${typed}`);
        return signalCodes[signal];
      }
      reports.push(await readWithBefore(context, one, id));
    }
    await printReports(io, reports, options);
    if (reports.some(({ failed, missing }) => failed + missing > 0)) return exitCodes.failed;
    return reports.some(({ waiting }) => waiting > 0) ? exitCodes.waiting : exitCodes.answered;
  });
}

/** Throws UsageError. */
function idOf(name: string, evals: number, { id }: RunOptions): string {
  if (id === undefined) return newRunId(name);
  if (evals > 1) throw new UsageError('--id is of one eval: type its name, too.');
  checkId(id);
  if (!areTags([id])) throw new UsageError(`--id is a tag of the runs, and has to be one of ${TAGS_RULE}.`);
  return id;
}

interface EvalStart {
  one: Eval;
  id: string;
  taskQueue: string;
  model: string | undefined;
  concurrency: number | undefined;
}

/** Asks the cases, then the judges. Resolves with the signal that ended it. */
async function askAll(
  io: Io,
  context: CliContext,
  { one, id, model, ...how }: EvalStart,
): Promise<WatchedBatch['signal']> {
  const { client } = context;
  const ask = async (
    agent: string,
    inputs: { id: string; input: string }[],
    more: { model?: string | undefined } = {},
  ) => {
    const [first] = inputs;
    if (first === undefined) return undefined;
    const { results, signal } = await watchedBatch(
      io,
      context,
      { total: inputs.length, firstRun: first.id },
      (watched) => client.batch(agent, inputs, { ...how, ...more, ...watched }),
    );
    if (signal === undefined) throwUnlessStarted(results);
    return signal;
  };
  const signal = await ask(one.agent, caseInputs(one, id), { model });
  if (signal !== undefined) return signal;
  for (const [agent, inputs] of await judgeInputs(client, one, id)) {
    say(io, `${oneLine(agent)} judges ${count(inputs.length, 'answer')}.`);
    const ended = await ask(agent, inputs);
    if (ended !== undefined) return ended;
  }
  return undefined;
}

/** A run that failed is a result; one that could not be started is an error of the eval. */
function throwUnlessStarted(results: readonly BatchResult[]): void {
  for (const result of results) {
    if (result.status !== 'rejected') continue;
    const { reason } = result;
    if (reason instanceof AgentRunFailed || reason instanceof AgentRunCancelled) continue;
    throw reason;
  }
}

async function readWithBefore({ client }: CliContext, one: Eval, id: string): Promise<EvalReport> {
  const report = await readEval(client, one, id);
  const before = (await findEvals(client, one.name)).find((other) => other !== id);
  return comparedWith(report, before === undefined ? undefined : await readEval(client, one, before));
}
