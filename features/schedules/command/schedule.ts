import type { OverlapPolicy } from '../rules/schedule-definition.ts';
import { checkSchedule } from '../rules/check-schedule.ts';
import type { AgentSchedule, BackfillOptions, ScheduleSummary } from '../client/agent-schedule.ts';
import { temporalSettings } from '../../../client/connect/connect.ts';
import { ScheduleNotFound } from '../../../client/connect/errors.ts';
import { cliName } from '../../../client/connect/cli-name.ts';
import { type ScheduleChange, syncSchedules as sync } from '../client/sync-schedules.ts';
import type { BatchQuestion, BatchStart } from '../../../agent/start/batch-start.ts';
import { readBatchFile } from '../../../cli/batch/batch-file.ts';
import {
  checkOverrides,
  checkQuestion,
  configFor,
  loadCommandConfig,
} from '../../../cli/connection/command-config.ts';
import { neverStarted, withTemporal } from '../../../cli/connection/context.ts';
import { namedQueue, queuesOf } from '../../../cli/connection/task-queue.ts';
import { type OverrideOptions, overridesIn } from '../../../cli/options/override-options.ts';
import { type ScheduleTimeOptions, timesIn } from './schedule-options.ts';
import type { CommonOptions } from '../../../cli/options/options.ts';
import { scheduleLines, schedulesTable } from './schedule-lines.ts';
import { oneLine } from '../../render/words/amounts.ts';
import { type Io, UsageError, exitCodes, print, printJson, say } from '../../../cli/shell/io.ts';

interface CreateOptions extends CommonOptions, OverrideOptions, ScheduleTimeOptions {
  var?: { [name: string]: string };
  paused?: boolean;
  /** A file of questions: each time is a batch. */
  inputs?: string;
  column?: string;
  concurrency?: number;
}

/** `reloop schedule create`: a schedule that is not in the config. */
export async function createSchedule(
  io: Io,
  name: string,
  agent: string,
  question: string | undefined,
  options: CreateOptions,
): Promise<number> {
  const overrides = overridesIn(options);
  const asked = await questionsOf(question, options);
  const definition = { agent, ...asked, variables: options.var, ...overrides, ...timesIn(options) };
  const { starts } = checkSchedule(name, definition);
  const config = await configFor(options, temporalSettings(options).address !== undefined);
  if (config !== undefined) {
    for (const start of starts)
      checkQuestion(config.loaded, agent, { ...options, context: start.overrides?.context });
    checkOverrides(config.loaded, agent, overrides);
  }
  const opened = { ...options, loaded: config?.loaded };
  return withTemporal(io, opened, async (context) => {
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    const schedule = context.client.schedule(name);
    await schedule.create(definition, { taskQueue, paused: options.paused });
    return report(io, await schedule.describe(), options);
  });
}

/** Throws UsageError where there are no questions, or two kinds of them. */
async function questionsOf(
  question: string | undefined,
  { inputs: file, column, concurrency }: CreateOptions,
): Promise<{ input: string; inputs?: undefined } | Pick<BatchStart, 'inputs' | 'concurrency'>> {
  if (file !== undefined) {
    if (question !== undefined) throw new UsageError('Give a question or --inputs, not both.');
    const rows = await readBatchFile(file, column);
    return { inputs: rows.map(({ input }) => input as BatchQuestion), concurrency }; // checkSchedule looks at them
  }
  if (question === undefined)
    throw new UsageError(
      `There is no question: ${cliName()} schedule create NAME AGENT "question", or --inputs FILE.`,
    );
  if (column !== undefined || concurrency !== undefined)
    throw new UsageError(
      '--column and --concurrency are about the file of --inputs. Name it, or leave them out.',
    );
  return { input: question };
}

/** `reloop schedule list`. */
export async function listSchedules(io: Io, options: CommonOptions): Promise<number> {
  const schedules: ScheduleSummary[] = (await neverStarted(options))
    ? []
    : await withTemporal(io, options, ({ client }) => client.schedules());
  if (options.json === true) printJson(io, schedules);
  else if (schedules.length === 0)
    say(
      io,
      `There are no schedules. \`${cliName()} schedule create\` makes one, \`sync\` those of the config.`,
    );
  else for (const line of schedulesTable(schedules, io.stdout.columns)) print(io, line);
  return exitCodes.answered;
}

/** `reloop schedule show`. */
export function showSchedule(io: Io, name: string, options: CommonOptions): Promise<number> {
  return withSchedule(io, name, options, async (schedule) => report(io, await schedule.describe(), options));
}

type NoteOptions = CommonOptions & { note?: string };

/** `reloop schedule pause`. */
export function pauseSchedule(io: Io, name: string, options: NoteOptions): Promise<number> {
  return withSchedule(io, name, options, async (schedule) => {
    await schedule.pause(options.note);
    return done(io, { name, paused: true }, `Schedule ${oneLine(name)} is paused.`, options);
  });
}

/** `reloop schedule resume`. */
export function resumeSchedule(io: Io, name: string, options: NoteOptions): Promise<number> {
  return withSchedule(io, name, options, async (schedule) => {
    await schedule.resume(options.note);
    return done(io, { name, paused: false }, `Schedule ${oneLine(name)} continues.`, options);
  });
}

/** `reloop schedule trigger`: prints the id of the run. */
export function triggerSchedule(
  io: Io,
  name: string,
  options: CommonOptions & { overlapPolicy?: OverlapPolicy },
): Promise<number> {
  return withSchedule(io, name, options, async (schedule) => {
    const id = (await schedule.trigger(options.overlapPolicy)) ?? null;
    if (options.json === true) printJson(io, { name, id });
    else if (id !== null) print(io, id);
    else
      say(
        io,
        `No run was started: an earlier run of ${oneLine(name)} is open, and the overlap policy does not let both run.`,
      );
    return exitCodes.answered;
  });
}

/** `reloop schedule backfill`. */
export function backfillSchedule(
  io: Io,
  name: string,
  options: CommonOptions & { startTime: Date; endTime: Date; overlapPolicy?: OverlapPolicy },
): Promise<number> {
  return withSchedule(io, name, options, async (schedule) => {
    const { startTime: start, endTime: end, overlapPolicy: overlap } = options;
    const time: BackfillOptions = { start, end, overlap };
    await schedule.backfill(time);
    return done(io, { name, ...time }, `Schedule ${oneLine(name)} starts the runs of that time.`, options);
  });
}

/** `reloop schedule delete`. */
export function deleteSchedule(io: Io, name: string, options: CommonOptions): Promise<number> {
  return withSchedule(io, name, options, async (schedule) => {
    await schedule.delete();
    return done(io, { name, deleted: true }, `Schedule ${oneLine(name)} is deleted. Its runs stay.`, options);
  });
}

/** `reloop schedule sync`: the server gets the config's schedules. */
export async function syncSchedules(
  io: Io,
  options: CommonOptions & { dryRun?: boolean; delete?: boolean },
): Promise<number> {
  const config = await loadCommandConfig(options.config);
  const { loaded } = config;
  return withTemporal(io, { ...options, loaded }, async (context) => {
    const { runs: taskQueue } = await queuesOf(context, config, namedQueue(io, options));
    const changes = await sync(context.client.temporal, taskQueue, loaded.schedules, options);
    if (options.json === true) printJson(io, { taskQueue, dryRun: options.dryRun === true, changes });
    else for (const line of changeLines(changes)) print(io, line);
    return exitCodes.answered;
  });
}

function changeLines(changes: readonly ScheduleChange[]): string[] {
  if (changes.length === 0) return ['The config has no schedules, and the server has none of it.'];
  return changes.map((one) => {
    const what = one.change === 'none' ? 'as it is' : one.change;
    const parts = one.change === 'update' ? `: ${one.parts.join(', ')}` : '';
    return `${oneLine(one.name)}  ${what}${parts}`;
  });
}

function report(
  io: Io,
  found: Awaited<ReturnType<AgentSchedule['describe']>>,
  { json = false }: CommonOptions,
): number {
  if (json) printJson(io, found);
  else for (const line of scheduleLines(found)) print(io, line);
  return exitCodes.answered;
}

function done(io: Io, receipt: object, line: string, { json = false }: CommonOptions): number {
  if (json) printJson(io, receipt);
  else say(io, line);
  return exitCodes.answered;
}

/** A project that never had a server has no schedule: no server is started to find that out. */
async function withSchedule(
  io: Io,
  name: string,
  options: CommonOptions,
  use: (schedule: AgentSchedule) => Promise<number>,
): Promise<number> {
  if (await neverStarted(options)) throw new ScheduleNotFound(name);
  return withTemporal(io, options, ({ client }) => use(client.schedule(name)));
}
