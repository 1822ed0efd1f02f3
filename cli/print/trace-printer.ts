import type { RunEvent, RunMessage, RunStep, WaitingCall } from '../../agent/events.ts';
import type { RestartedEvent } from '../../agent/restart.ts';
import {
  type AgentAction,
  EXCEPTION_TOOL,
  type Usage,
  addUsage,
  asText,
  noUsage,
} from '../../agent/vocabulary.ts';
import { type Colors, contentText, count, duration, firstRows, fit, lastRows, oneLine } from './display.ts';
import { harmless } from './harmless.ts';
import { createLiveRegion } from './live-region.ts';
import { type Below, createSubAgentTraces, indented } from './sub-agent-traces.ts';
import {
  attemptText,
  decisionText,
  failureText,
  labels,
  notesOn,
  reasoningWords,
  restartText,
  steeringText,
  thoughtIn,
  totalWords,
  tries,
  turnWords,
  unheardText,
  waitingText,
} from './trace-words.ts';

export interface TraceOptions {
  write(text: string): unknown;
  colors: Colors;
  /** Cells of a line, now: a window can change. */
  width(): number;
  /** A terminal: what is under way is rewritten in place. Else it is not shown, but for progress. */
  live: boolean;
  /** Rows of an observation that are shown; Infinity for all. */
  rows: number;
  /** The command that shows what is left out. */
  whole?: string | undefined;
  /** The run is a sub-agent's, and shown within its parent's. */
  below?: Below | undefined;
}

/** Prints a run as it goes, or as it went; a sub-agent's run, where its events are there, below the call. */
export interface TracePrinter {
  print(event: RunEvent): void;
  /** Lines of somebody else, between those of the trace. */
  note(lines: string[]): void;
  /** Takes back what is only there while something is under way. */
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
  let siblings = 1;
  let iterations = 0;
  let usage: Usage = noUsage;
  let startedAt = 0;

  return {
    print,
    note: stay,
    end: () => region.clear(),
  };

  function print(event: RunEvent): void {
    if (event.within !== below?.within) return printBelow(event);
    switch (event.type) {
      case 'run_started':
        startedAt = event.at;
        return stay([
          `${colors.bold(harmless(event.agent))}  ${colors.dim(`run ${oneLine(event.id)}`)}`,
          // What a sub-agent is asked stands above it, as the input of the call.
          ...(below === undefined ? [...labelled('Question', contentText(event.input), ''), ''] : []),
        ]);
      case 'model_started':
        return underWay(event.call, [colors.dim(`[${path(event.call)}] thinking …`)]);
      case 'model_text':
        return underWay(event.call, writing(event));
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
        // What it had written or said until then is not the next attempt's.
        open.set(event.call, [colors.dim(`${INDENT}attempt ${event.attempt + 1} …`)]);
        return stay([INDENT + colors.yellow(attemptText(event))]);
      case 'tool_failed':
        close(event.call);
        failed.add(event.call);
        return stay([INDENT + colors.red(failureText('Failed', event))]);
      case 'waiting':
        return waiting(event.park);
      case 'decided':
        return stay([
          `${INDENT}${colors.magenta(`Decision${ofCall(event.call)}:`)} ${decisionText(event.decision)}`,
        ]);
      case 'steered':
        return stay(steered(event.message));
      case 'unheard':
        return stay([INDENT + colors.yellow(unheardText(event.messages))]);
      case 'step':
        return step(event.step);
      case 'restarted':
        return restarted(event);
      case 'unanswered':
        return stay([`${INDENT}${colors.yellow(`Nobody decided in time${ofCall(event.call)}`)}`]);
      case 'continued':
      case 'resumed':
      case 'finish':
        return;
      case 'run_ended':
        open.clear();
        return runEnded(event);
    }
  }

  function restarted(event: RestartedEvent): void {
    open.clear();
    failed.clear();
    ({ iterations, usage } = event);
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
    if (closing !== true) iterations++;
    usage = addUsage(usage, turn.usage);
    open.delete(call);
    siblings = decision.type === 'act' ? decision.actions.length : 1;
    const costs = turnWords(turn, durationMs, attempts);
    const thought = thoughtIn(turn);
    stay([
      `${colors.bold(`[${path(call)}]`)} ${colors.dim(costs.join(' · '))}`,
      ...reasoningWords(turn).map((words) => colors.dim(INDENT + words)),
      ...(thought === '' ? [] : labelled('Thought', thought)),
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
    const changed = inputs.get(call) !== input;
    inputs.set(call, input);
    if (changed) stay(labelled(`Action Input${ofCall(call)}`, input));
    underWay(call, [colors.dim(`${INDENT}${fit(oneLine(tool), 40)} is running …`)]);
  }

  function progress(call: string, text: string): void {
    const line = colors.dim(INDENT + fit(`… ${oneLine(text)}`, width() - INDENT.length - 1));
    if (options.live) return underWay(call, [line]);
    stay([line]);
  }

  function step({ call, observation, attempts, durationMs }: RunStep): void {
    close(call);
    const whole = harmless(asText(observation));
    const { text, cut } = firstRows(whole, rows, width() - INDENT.length);
    stay([
      ...labelled(`Observation${ofCall(call)}`, text),
      ...(cut === 0
        ? []
        : [
            colors.dim(
              `${INDENT}… ${count(cut, 'more character')}${options.whole ? `: ${options.whole}` : ''}`,
            ),
          ]),
      ...(attempts === 0
        ? []
        : [colors.dim(INDENT + [duration(durationMs), ...tries(attempts)].join(' · '))]),
    ]);
  }

  function waiting(call: WaitingCall): void {
    open.delete(call.call);
    // The run itself says what waits below, under the id that a decision needs.
    if (below !== undefined) return;
    stay([INDENT + colors.bold(colors.yellow(harmless(waitingText(call, failed.has(call.call)))))]);
  }

  function steered(message: RunMessage): string[] {
    if (message.type === 'say') return labelled('Message', message.text);
    return [INDENT + colors.magenta(steeringText(message))];
  }

  function runEnded(event: Extract<RunEvent, { type: 'run_ended' }>): void {
    const { green, yellow, red } = colors;
    const paint = event.status === 'completed' ? green : event.status === 'stopped' ? yellow : red;
    const why = event.status === 'stopped' ? ` (${event.stopReason})` : '';
    const costs = [
      ...totalWords(event.iterations ?? iterations, event.usage ?? usage),
      duration(event.at - startedAt),
    ];
    stay([
      ...(below === undefined ? [''] : []),
      `${paint(event.status + why)} ${colors.dim(`· ${costs.join(' · ')}`)}`,
    ]);
  }

  function writing({ type, call, attempt, text }: Written): string[] {
    const again = attempt > 1 ? `, attempt ${attempt}` : '';
    const lines = lastRows(harmless(asText(text)).trim(), TEXT_ROWS, width() - INDENT.length - 1);
    const what = type === 'model_text' ? 'writing' : 'thinking';
    return [`[${path(call)}] ${what}${again} …`, ...indented(lines, INDENT)].map(colors.dim);
  }

  /** Which call, where a turn has several. */
  function ofCall(call: string): string {
    return siblings > 1 || below?.hasNeighbours() === true ? ` (${path(call)})` : '';
  }

  function path(call: string): string {
    return below === undefined ? call : `${below.within}/${call}`;
  }

  function traceBelow(place: Below): TracePrinter {
    const { margin } = place;
    return createTracePrinter({
      ...options,
      below: place,
      write: (text) => stay(indented(text.trimEnd().split('\n'), margin)),
      width: () => width() - margin.length,
    });
  }

  function printBelow(event: RunEvent): void {
    // The run itself says what waits below: not once more why.
    if (event.type === 'tool_failed' || event.type === 'model_failed')
      failed.add(`${event.within ?? ''}/${event.call}`);
    subAgents.print(event);
  }

  function underWay(call: string, lines: string[]): void {
    open.set(call, lines);
    refresh();
  }

  /** With all that a sub-agent's run shows, which may have been ended from outside. */
  function close(call: string): void {
    const isOf = (key: string) => key === call || key.startsWith(`${call}/`) || key.startsWith(`${call}~`);
    for (const key of [...open.keys()].filter(isOf)) open.delete(key);
  }

  function stay(lines: string[]): void {
    if (lines.length === 0) return;
    region.clear();
    options.write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
    refresh();
  }

  function refresh(): void {
    if (options.live) region.show([...open.values()].flat());
  }
}
