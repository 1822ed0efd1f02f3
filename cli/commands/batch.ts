import { areTags } from '../../agent/definition/run-tags.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { type JsonObject, noUsage } from '../../agent/values/vocabulary.ts';
import type { BatchProgress } from '../../client/api/batch.ts';
import { cliName, shellWord, typedCommand } from '../../client/connect/cli-name.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { checkId, newRunId } from '../../client/start/run-id.ts';
import { count, duration, oneLine } from '../../features/render/words/amounts.ts';
import { costWords, totalTokenWords } from '../../features/render/words/usage-words.ts';
import { type BatchRow, readBatchFile } from '../batch/batch-file.ts';
import { progressWords } from '../batch/batch-progress.ts';
import { type RowResult, replaceFile, resultsText, rowResult } from '../batch/batch-results.ts';
import { formatOf } from '../batch/file-format.ts';
import { watchedBatch } from '../batch/watched-batch.ts';
import { checkModel, checkOverrides, checkQuestion, configFor } from '../connection/command-config.ts';
import { nobodyWorks, serve, untilItsCodeIsSaved } from '../connection/command-worker.ts';
import { type CliContext, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { checkOutFile } from '../options/out-file.ts';
import { type OverrideOptions, overridesIn } from '../options/override-options.ts';
import { type Io, exitCodes, printJson, say, signalCodes } from '../shell/io.ts';
import { jsonOn } from '../shell/on-terminal.ts';

interface BatchCommandOptions extends CommonOptions, OverrideOptions {
  id?: string;
  out?: string;
  concurrency: number;
  column?: string;
  /** Values for the agent's own {names}, as `name=value`. */
  var?: { [name: string]: string };
  /** Stay until the runs that wait for a person have ended, too. */
  wait?: boolean;
}

/** Failures and waits that are listed; the results have all. */
const MOST_LISTED = 20;

/** `reloop batch`: asks an agent each question of a file, a few at a time, and writes the results. */
export async function batch(
  io: Io,
  agent: string,
  file: string,
  options: BatchCommandOptions,
): Promise<number> {
  const { out, id = newRunId(agent), json = false } = options;
  checkId(id);
  if (out !== undefined) await checkOutFile(out);
  const format = out === undefined ? 'jsonl' : formatOf(out);
  const rows = await readBatchFile(file, options.column);
  const named = temporalSettings(options).address !== undefined;
  const config = await configFor(options, named);
  const loaded = config?.loaded;
  if (loaded !== undefined) {
    for (const context of contextsOf(rows, options)) checkQuestion(loaded, agent, { ...options, context });
    checkOverrides(loaded, agent, overridesIn(options));
  }
  const opened = { ...options, loaded };
  return withTemporal(io, opened, async (context) => {
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    if (loaded !== undefined && (await nobodyWorks(context, taskQueue)))
      checkModel(loaded, agent, options.model);
    await untilItsCodeIsSaved(context);
    if (config !== undefined) await serve(context, { open: true, taskQueue }, options);
    const again =
      options.id === undefined ? ` To continue it later: the same with --id ${shellWord(id)}.` : '';
    say(io, `Batch ${oneLine(id)}: ${count(rows.length, 'run')} of ${oneLine(agent)}.${again}`);
    const ended = await runAll(io, context, { agent, id, rows, taskQueue }, options);
    const { results, progress, ms, signal } = ended;
    const table = results.map((result, index): JsonObject => ({ ...rows[index]?.columns, ...result }));
    if (out !== undefined) await replaceFile(out, resultsText(table, format));
    sayEnd(io, ended, { id, out });
    if (signal !== undefined) {
      const typed = typedCommand('batch', [agent, file], ['--id', shellWord(id), ...flagsToRepeat(options)]);
      say(io, `Runs under way continue wherever a worker serves them. To continue the batch: ${typed}`);
    }
    if (json) {
      const { usage, ...counts } = progress;
      const rest = { left: results.filter(({ status }) => status === 'left').length, usage, ms };
      printJson(io, { id, agent, ...counts, ...rest, out: out ?? null, results: table });
    } else if (out === undefined) io.stdout.write(jsonOn(io.stdout, resultsText(table, format)));
    if (signal !== undefined) return signalCodes[signal];
    if (progress.failed > 0) return exitCodes.failed;
    return progress.waiting > 0 ? exitCodes.waiting : exitCodes.answered;
  });
}

/** The different contexts of the runs, each once. */
function contextsOf(
  rows: readonly BatchRow[],
  { context }: BatchCommandOptions,
): Set<RunContext | undefined> {
  return new Set(rows.map(({ input }) => input.context ?? context));
}

interface BatchEnd {
  results: RowResult[];
  progress: BatchProgress;
  ms: number;
  /** The signal that ended the command before the batch was over. */
  signal: 'SIGINT' | 'SIGTERM' | undefined;
}

async function runAll(
  io: Io,
  context: CliContext,
  { agent, id, rows, taskQueue }: { agent: string; id: string; rows: readonly BatchRow[]; taskQueue: string },
  options: BatchCommandOptions,
): Promise<BatchEnd> {
  const { concurrency, var: variables, wait = false } = options;
  const { tags = [], ...overrides } = overridesIn(options);
  const inputs = rows.map(({ input }) => input);
  const { results, ended, ...rest } = await watchedBatch(
    io,
    context,
    { total: rows.length, firstRun: `${id}-1` },
    (watched) =>
      context.client.batch(agent, inputs, {
        ...overrides,
        // The id is a tag, so that `list`, `retry --all` and `report` find the runs.
        tags: areTags([id]) ? [...new Set([...tags, id])] : options.tag,
        variables,
        taskQueue,
        concurrency,
        id,
        onWaiting: wait ? 'wait' : 'leave',
        ...watched,
      }),
  );
  return { ...rest, results: results.map((one) => rowResult(one, ended)) };
}

/** Says how the batch ended: the amounts, what failed or waits and why, and what to do about it. */
function sayEnd(
  io: Io,
  { results, progress, ms }: BatchEnd,
  { id, out }: { id: string; out: string | undefined },
): void {
  const { usage } = progress;
  const left = results.filter(({ status }) => status === 'left').length;
  const amounts = [
    progressWords({ ...progress, running: 0, usage: noUsage }, 0),
    ...(left === 0 ? [] : [`${left} left`]),
    totalTokenWords(usage),
    ...costWords(usage),
    duration(ms),
  ];
  say(io, `Batch ${oneLine(id)}: ${amounts.join(', ')}.`);
  const others = results.filter(({ status }) => ['failed', 'cancelled', 'waiting'].includes(status));
  for (const { run, status, error } of others.slice(0, MOST_LISTED))
    say(io, `  ${oneLine(run)} ${status}${error === null ? '' : `: ${oneLine(error)}`}`);
  if (others.length > MOST_LISTED)
    say(io, `  … and ${others.length - MOST_LISTED} more, all in the results.`);
  if (out !== undefined) say(io, `Results: ${out}`);
  if (!areTags([id])) return;
  const tag = `--tag ${shellWord(id)}`;
  if (results.some(({ status, tokens }) => status === 'failed' && tokens !== null))
    say(
      io,
      `To retry what failed: \`${cliName()} retry --all --status failed ${tag}\`, then the same batch again with --id ${shellWord(id)}.`,
    );
  if (results.some(({ status }) => status === 'waiting'))
    say(io, `To see what waits: \`${cliName()} list --status waiting ${tag}\``);
}
