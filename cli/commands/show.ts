import { asText } from '../../agent/values/vocabulary.ts';
import { RunView } from '../../agent/views/view.ts';
import type { AgentKind } from '../../agent/definition/kind.ts';
import type { ModelTurn } from '../../agent/calls/calls.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type AskedRequest, sentRequest } from '../../history/views/requests.ts';
import { isOpenStatus } from '../../client/read/run-filters.ts';
import type { RunReport } from '../../client/report.ts';
import { count } from '../../features/render/words/amounts.ts';
import { colorsFor } from '../shell/display.ts';
import { costWords, totalTokenWords } from '../../features/render/words/usage-words.ts';
import { sanitizedFor } from '../shell/on-terminal.ts';
import { type Io, UsageError, exitCodes, printColored, printJson, say } from '../shell/io.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { type CliContext, withHistory } from '../connection/context.ts';
import { replyLines, requestLines } from '../print/prompt.ts';
import { createPrintedFailures, errorLine } from '../print/run-error.ts';
import { notBegunText, pauseText } from '../print/trace/trace-words.ts';
import { createTracePrinter } from '../print/trace/trace-printer.ts';
import { sayPage, withPage } from '../connection/web-ui.ts';
import { helpOptions, waitingHelp } from '../follow/waiting-help.ts';

interface ShowOptions extends CommonOptions {
  prompt?: string;
  /** Temporal's run id, for a run that a reset has replaced. */
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
    width: () => stdout.columns || 100,
    wraps: stdout.isTTY === true,
    live: false,
    rows: Infinity,
  });
  const printed = createPrintedFailures();
  const report = await run.describe((event) => {
    printer.print(event);
    printed.add(event);
  });
  // A run that has just ended has no more to show.
  for (const event of isOpenStatus(report.status) ? await run.underWay().catch(() => []) : [])
    printer.print(event);
  printer.note(closing(io, { report, error: errorLine(report, printed) }, context, options));
}

/** Lines below the trace: the state of the run, the waits, the size of its history, the answer. */
function closing(
  { stdout }: Io,
  { report, error }: { report: RunReport; error: string | undefined },
  context: CliContext,
  options: ShowOptions,
): string[] {
  const { status, waiting, notBegun = [], pausedCalls = [], history, usage, iterations, output } = report;
  const how = helpOptions(context, report, flagsToRepeat(options));
  const help = waiting.flatMap((call) => waitingHelp(call, waiting, how));
  const soFar = [status, count(iterations, 'step'), totalTokenWords(usage), ...costWords(usage)].join(' · ');
  const sizes = [count(history.events, 'event'), count(history.bytes, 'byte')];
  if (usage.actions !== undefined) sizes.push(`${count(usage.actions, 'action')} (Temporal Cloud)`);
  return [
    ...help,
    ...notBegun.map((call) => `    ${notBegunText(call)}`),
    ...pausedCalls.map((call) => `    ${pauseText({ type: 'call_paused', ...call })}`),
    ...(isOpenStatus(status) ? ['', soFar] : []),
    `history: ${sizes.join(', ')}`,
    ...(error === undefined ? [] : [error]),
    ...(status === 'completed' || status === 'stopped' ? ['', sanitizedFor(stdout, asText(output))] : []),
  ];
}

async function showPrompt(io: Io, run: AgentRun, step: string, options: ShowOptions): Promise<void> {
  const { kindsFrom } = await import('../connection/command-config.ts');
  const { request, turn, exact } = await findStep(run, step, await kindsFrom(io, options));
  if (!exact) {
    say(io, `note: this version of reloop renders the request of step ${step} otherwise than it was sent.`);
  }
  const sent = { ...request, model: turn?.answeredBy?.model ?? request.model };
  if (options.json === true)
    return printJson(io, { id: run.id, step, request: sent, reply: turn ?? null, exact });
  const colors = colorsFor(io.stdout, io.env);
  const style = { colors, words: (text: string) => sanitizedFor(io.stdout, text) };
  const reply = turn === undefined ? ['(no reply is recorded)'] : replyLines(step, turn, style);
  for (const line of [...requestLines(step, sent, style), ...reply]) printColored(io, line);
}

/** Reads the last request of a step, and its reply. Throws UsageError if there is no such step. */
export async function findStep(run: AgentRun, step: string, kinds: readonly AgentKind[] | undefined) {
  const view = new RunView(run.id);
  let asked: AskedRequest | undefined;
  let turn: ModelTurn | undefined;
  const onRequest = (request: AskedRequest) => {
    if (request.call !== step) return;
    asked = request;
    turn = undefined;
  };
  for await (const event of run.events({ follow: false, onRequest, kinds })) {
    view.add(event);
    if (event.type === 'model_ended' && event.call === step) turn = event.turn;
  }
  if (asked !== undefined) return { ...sentRequest(asked, turn), turn };
  throw new UsageError(
    `Run ${run.id} has no step ${step}: it made ${count(view.iterations, 'model call')}. Write --prompt 1 for the first.`,
  );
}
