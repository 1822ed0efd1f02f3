import { asText } from '../../agent/vocabulary.ts';
import { requestDigest } from '../../agent/transcript/request.ts';
import type { AgentKind } from '../../agent/kinds/kind.ts';
import type { ModelTurn } from '../../agent/calls.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import type { RunReport } from '../../client/report.ts';
import { colorsFor, count } from '../print/display.ts';
import { costWords } from '../print/cost.ts';
import { harmlessOn } from '../print/harmless.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { errorLine } from '../follow/finish.ts';
import { type Io, print, printJson, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { kindsFrom } from '../kinds-from.ts';
import { replyLines, requestLines } from '../print/prompt.ts';
import { totalTokenWords } from '../print/tokens.ts';
import { createTracePrinter } from '../print/trace-printer.ts';
import type { CliContext } from '../context.ts';
import { sayPage, withPage } from '../web-ui.ts';
import { withHistory } from '../with-run.ts';
import { waitingHelp } from '../follow/waiting-help.ts';

export interface ShowOptions extends CommonOptions {
  prompt?: string;
  /** Of Temporal: one that a reset has replaced. */
  run?: string;
}

/** `reloop show`: a run as history has it. */
export async function show(io: Io, id: string, options: ShowOptions): Promise<number> {
  return withHistory(io, options, id, async (context, latest) => {
    const run = options.run === undefined ? latest : context.client.get(id, options.run);
    if (options.prompt !== undefined) await showPrompt(io, run, options.prompt, options);
    else if (options.json === true) printJson(io, await withPage(context, run).describe());
    else await showTrace(io, context, run, options);
    if (options.json !== true) sayPage(io, context, id);
    return exitCodes.answered;
  });
}

async function showTrace(io: Io, context: CliContext, run: AgentRun, options: ShowOptions): Promise<void> {
  const { stdout } = io;
  const printer = createTracePrinter({
    write: (text) => stdout.write(text),
    colors: colorsFor(stdout, io.env),
    width: () => stdout.columns ?? 100,
    live: false,
    rows: Infinity,
  });
  const report = await run.describe((event) => printer.print(event));
  // What has just ended has nothing more to show.
  for (const event of isOpen(report) ? await run.underWay().catch(() => []) : []) printer.print(event);
  printer.note(closing(io, report, context, options));
}

/** What stands below the trace: how the run is, what it needs, how large its history is, the answer. */
function closing(
  { stdout }: Io,
  report: RunReport,
  { embedded, namespace }: CliContext,
  options: ShowOptions,
): string[] {
  const { id, runId, status, waiting, history, usage, iterations, output } = report;
  const flags = flagsToRepeat(options);
  const help = waiting.flatMap((call) =>
    waitingHelp(call, waiting, { id, runId, flags, namespace, uiUrl: embedded?.uiUrl }),
  );
  const soFar = [status, count(iterations, 'step'), totalTokenWords(usage), ...costWords(usage)].join(' · ');
  const error = errorLine(report);
  const sizes = [count(history.events, 'event'), count(history.bytes, 'byte')];
  if (usage.actions !== undefined) sizes.push(count(usage.actions, 'billed action'));
  return [
    ...help,
    ...(isOpen(report) ? ['', soFar] : []),
    `history: ${sizes.join(', ')}`,
    ...(error === undefined ? [] : [error]),
    ...(status === 'completed' || status === 'stopped' ? ['', harmlessOn(stdout, asText(output))] : []),
  ];
}

function isOpen({ status }: RunReport): boolean {
  return status === 'running' || status === 'waiting' || status === 'paused';
}

async function showPrompt(io: Io, run: AgentRun, step: string, options: ShowOptions): Promise<void> {
  const { request, turn } = await findStep(run, step, await kindsFrom(io, options));
  const exact = turn === undefined || turn.request === requestDigest(request);
  if (!exact) {
    say(io, `note: this version of reloop renders the request of step ${step} otherwise than it was sent.`);
  }
  if (options.json === true) return printJson(io, { id: run.id, step, request, reply: turn ?? null, exact });
  const colors = colorsFor(io.stdout, io.env);
  const style = { colors, words: (text: string) => harmlessOn(io.stdout, text) };
  const reply = turn === undefined ? ['(no reply is recorded)'] : replyLines(step, turn, style);
  for (const line of [...requestLines(step, request, style), ...reply]) print(io, line);
}

async function findStep(run: AgentRun, step: string, kinds: Iterable<AgentKind> | undefined) {
  let turn: ModelTurn | undefined;
  const report = await run.describe((event) => {
    if (event.type === 'model_ended' && event.call === step) turn = event.turn;
  });
  for await (const { call, request, shortened } of run.requests({
    follow: false,
    kinds,
  })) {
    if (call === step) return { request: turn?.shortened === true ? shortened() : request, turn };
  }
  throw new UsageError(
    `Run ${run.id} has no step ${step}: it made ${count(report.iterations, 'model call')}. Write --prompt 1 for the first.`,
  );
}
