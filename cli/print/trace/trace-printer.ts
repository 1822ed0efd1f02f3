import type { RunEvent, RunStep } from '../../../agent/run/events.ts';
import type { WaitingCall } from '../../../agent/rules/waiting.ts';
import { RunView } from '../../../agent/views/view.ts';
import { type AgentAction, EXCEPTION_TOOL, asText } from '../../../agent/values/vocabulary.ts';
import { oneLine } from '../../../features/render/words/amounts.ts';
import { type Colors, firstRows, fit, lastRows } from '../../shell/display.ts';
import { sanitizeForTerminal } from '../../../agent/text/sanitize.ts';
import { contentText } from '../../../agent/values/content.ts';
import { createCallNames } from './call-names.ts';
import { createLiveRegion } from '../progress-line.ts';
import { type Restarted, type RunEnded, endLines } from './run-end.ts';
import { type SubAgentTrace, createSubAgentTraces, indented } from './sub-agent-traces.ts';
import {
  createAttempts,
  failureText,
  labels,
  notBegunText,
  notesOn,
  pauseText,
  reasoningWords,
  stepRemarks,
  toolWordText,
  turnWords,
  waitingText,
} from './trace-words.ts';
import {
  byText,
  decisionText,
  restartText,
  steeringText,
  thoughtIn,
  unheardText,
} from '../../../features/render/words/run-words.ts';
import { wrapLine } from '../wrap-line.ts';

export interface TraceOptions {
  write(text: string): unknown;
  colors: Colors;
  /** Cells of a line, now: a window can change. */
  width(): number;
  /** A terminal: calls under way are rewritten in place. If false, only their progress is shown. */
  live: boolean;
  /** A terminal, which breaks lines in the middle of words: they are broken before. */
  wraps?: boolean | undefined;
  /** Rows of an observation that are shown; Infinity for all. */
  rows: number;
  /** The command that shows the omitted part. */
  whole?: string | undefined;
  /** The run is a sub-agent's, and is shown within its parent's. */
  below?: SubAgentTrace | undefined;
}

/** Prints a run as it goes, or as it went; a sub-agent's run, where its events are there, below the call. */
export interface TracePrinter {
  print(event: RunEvent): void;
  /** Prints other lines between those of the trace. */
  note(lines: string[]): void;
  /** Clears the lines of calls under way. */
  end(): void;
}

type ModelEnded = Extract<RunEvent, { type: 'model_ended' }>;
type Written = Extract<RunEvent, { type: 'model_text' | 'model_reasoning' }>;

const INDENT = '    ';
const TEXT_ROWS = 6;

export function createTracePrinter(options: TraceOptions): TracePrinter {
  const { colors, rows, width, below } = options;
  const region = below?.region ?? createLiveRegion(options.write);
  /** Calls under way, each with the lines that show it. */
  const open = new Map<string, string[]>();
  /** Calls whose failure has been shown. */
  const failed = new Set<string>();
  const inputs = new Map<string, string>();
  const subAgents = createSubAgentTraces({ indent: INDENT, show: underWay, traceOf: traceBelow });
  const labelled = labels(colors.cyan, INDENT);
  const names = createCallNames(below);
  const { path, after: ofCall } = names;
  const view = new RunView('');
  let startedAt = 0;
  let fork: Restarted | undefined;
  const attemptsOf = createAttempts();

  return {
    print,
    note: write, // a wrapped command could not be copied
    end: () => region.clear(),
  };

  function print(event: RunEvent): void {
    if (event.within !== below?.within) return printBelow(event);
    view.add(event);
    names.note(event);
    switch (event.type) {
      case 'run_started': {
        startedAt = event.at;
        const name = event.agent || (event.workflow ?? '');
        const head = `${colors.bold(sanitizeForTerminal(name))}  ${colors.dim(`run ${oneLine(event.id)}${byText(event)}`)}`;
        if (below !== undefined) return stay([head]); // the question is the input of the call above
        const question = contentText(event.input);
        return stay([head, ...(question === '' ? [] : labelled('Question', question, '')), '']);
      }
      case 'model_started':
        attemptsOf.begin(event.call);
        return underWay(event.call, [colors.dim(`[${path(event.call)}] thinking …`)]);
      case 'model_text':
      case 'model_reasoning':
        return underWay(event.call, writing(event));
      case 'model_ended':
        return modelEnded(event);
      case 'model_failed':
        open.delete(event.call);
        failed.add(event.call);
        return stay([colors.red(failureText(`The model call of step ${path(event.call)} failed`, event))]);
      case 'action':
        return action(event.call, event.action);
      case 'tool_started':
        return toolStarted(event.call, event.tool, asText(event.toolInput));
      // A tool in JavaScript, or in another language, may report a number.
      case 'tool_progress':
        return progress(event.call, asText(event.text));
      case 'attempt_failed':
        // Text and reasoning until then are not the next attempt's.
        open.set(event.call, [colors.dim(`${INDENT}attempt ${event.attempt + 1}${ofCall(event.call)} …`)]);
        return stay([INDENT + colors.yellow(attemptsOf.text(event, ofCall(event.call)))]);
      case 'not_begun':
        return stay([INDENT + colors.yellow(notBegunText(event))]);
      case 'call_paused':
      case 'paused_in_temporal':
      case 'unpaused_in_temporal':
        return stay([INDENT + colors.yellow(pauseText(event))]);
      case 'tool_failed':
        close(event.call);
        failed.add(event.call);
        return stay([INDENT + colors.red(failureText(`Failed${ofCall(event.call)}`, event))]);
      case 'waiting':
        return waiting(event.wait, event.at);
      case 'decided':
        return stay([
          `${INDENT}${colors.magenta(`Decision${ofCall(event.call)}:`)} ${decisionText(event.decision)}`,
        ]);
      case 'reconciled':
      case 'checkpoint':
        return stay([INDENT + toolWordText(event, ofCall(event.call))]);
      case 'steered':
        return event.message.type === 'say'
          ? stay(labelled(`Message${byText(event.message)}`, event.message.text))
          : stay([INDENT + colors.magenta(steeringText(event.message))]);
      case 'unheard':
        return stay([INDENT + colors.yellow(unheardText(event.messages))]);
      case 'step':
        return step(event.step);
      case 'restarted':
        return restarted(event);
      case 'unanswered':
        return stay([`${INDENT}${colors.yellow(`Nobody decided in time${ofCall(event.call)}`)}`]);
      case 'continued':
      case 'caught_up':
      case 'resumed':
      case 'used':
      case 'finish':
        return;
      case 'run_ended':
        open.clear();
        return runEnded(event);
    }
  }

  function restarted(event: Restarted): void {
    open.clear();
    failed.clear();
    if (event.by === 'fork') fork = event;
    stay([
      '',
      colors.magenta(restartText(event)),
      ...(event.edits ?? []).flatMap(({ call, observation }) =>
        labelled(`Observation ${call}, changed`, asText(observation)),
      ),
    ]);
  }

  function modelEnded({ call, turn, attempts, durationMs, closing }: ModelEnded): void {
    const { decision } = turn;
    open.delete(call);
    const thought = thoughtIn(turn);
    stay([
      `${colors.bold(`[${path(call)}]`)} ${colors.dim(turnWords(turn, durationMs, attempts).join(' · '))}`,
      ...reasoningWords(turn).map((words) => colors.dim(INDENT + words)),
      ...(thought === '' ? [] : labelled('Thought', thought)),
      ...(decision.type === 'compact' ? labelled('Summary of the steps before', turn.text) : []),
      ...notesOn(turn, closing).map((text) => INDENT + colors.yellow(text)),
    ]);
  }

  function action(call: string, { tool, toolInput }: AgentAction): void {
    if (tool === EXCEPTION_TOOL) return stay([INDENT + colors.yellow('This reply could not be read.')]);
    const input = asText(toolInput);
    inputs.set(call, input);
    stay([...labelled(`Action${ofCall(call)}`, tool), ...labelled(`Action Input${ofCall(call)}`, input)]);
  }

  function toolStarted(call: string, tool: string, input: string): void {
    if (tool === EXCEPTION_TOOL || tool === 'invalid_tool') return;
    attemptsOf.begin(call);
    const changed = inputs.get(call) !== input;
    inputs.set(call, input);
    if (changed) stay(labelled(`Action Input${ofCall(call)}`, input));
    underWay(call, [colors.dim(`${INDENT}${fit(oneLine(tool), 40)}${ofCall(call)} is running …`)]);
  }

  function progress(call: string, text: string): void {
    const line = colors.dim(INDENT + fit(`…${ofCall(call)} ${oneLine(text)}`, width() - INDENT.length - 1));
    return options.live ? underWay(call, [line]) : stay([line]);
  }

  function step(ended: RunStep): void {
    const { call, observation } = ended;
    close(call);
    const whole = sanitizeForTerminal(asText(observation)).trimEnd();
    const { text, cut } = firstRows(whole, rows, width() - INDENT.length);
    const remarks = stepRemarks(ended, cut, options.whole);
    stay([
      ...labelled(`Observation${ofCall(call)}`, text),
      ...remarks.map((remark) => colors.dim(INDENT + remark)),
    ]);
  }

  function waiting(call: WaitingCall, at: number): void {
    open.delete(call.call);
    // The parent run reports its sub-agents' waits, with the id that a decision needs.
    if (below !== undefined) return;
    stay([
      INDENT + colors.bold(colors.yellow(sanitizeForTerminal(waitingText(call, failed.has(call.call), at)))),
    ]);
  }

  function runEnded(event: RunEnded): void {
    if (below === undefined) stay(['']);
    stay(endLines(event, view, { startedAt, fork }, colors));
  }

  function writing({ type, call, attempt, text }: Written): string[] {
    const again = attempt > 1 ? `, attempt ${attempt}` : '';
    const lines = lastRows(sanitizeForTerminal(asText(text)).trim(), TEXT_ROWS, width() - INDENT.length - 1);
    const what = type === 'model_text' ? 'writing' : 'thinking';
    return [`[${path(call)}] ${what}${again} …`, ...indented(lines, INDENT)].map(colors.dim);
  }

  function traceBelow(place: SubAgentTrace): TracePrinter {
    const { margin } = place;
    return createTracePrinter({
      ...options,
      below: place,
      write: (text) => stay(indented(text.trimEnd().split('\n'), margin)),
      width: () => width() - margin.length,
    });
  }

  function printBelow(event: RunEvent): void {
    // The parent run reports its sub-agents' waits: do not repeat the reason.
    if (event.type === 'tool_failed' || event.type === 'model_failed')
      failed.add(`${event.within ?? ''}/${event.call}`);
    subAgents.print(event);
  }

  function underWay(call: string, lines: string[]): void {
    open.set(call, lines);
    refresh();
  }

  /** Closes a call with all that its sub-agent's run shows, which may have been ended from outside. */
  function close(call: string): void {
    const isOf = (key: string) => key === call || key.startsWith(`${call}/`) || key.startsWith(`${call}~`);
    for (const key of [...open.keys()].filter(isOf)) open.delete(key);
  }

  function stay(lines: string[]): void {
    write(options.wraps === true ? lines.flatMap((line) => wrapLine(line, width())) : lines);
  }

  function write(lines: string[]): void {
    if (lines.length === 0) return;
    region.clear();
    options.write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
    refresh();
  }

  function refresh(): void {
    if (options.live) region.show([...open.values()].flat());
  }
}
