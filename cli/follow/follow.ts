import { setTimeout as sleep } from 'node:timers/promises';
import { withoutSchedule } from '../../agent/calls/calls.ts';
import { callPath } from '../../agent/calls/call-path.ts';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { TemporalUnreachable } from '../../client/connect/errors.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import { RunView } from '../../agent/views/view.ts';
import { type RunReport, reportOf } from '../../client/report.ts';
import { colorsFor } from '../shell/display.ts';
import { sanitizedFor, isAnsiTerminal } from '../shell/on-terminal.ts';
import { type Io, exitCodes, failureOf } from '../shell/io.ts';
import { type Leaving, watchSignals } from './leave.ts';
import { warnWithoutWorker } from '../connection/command-worker.ts';
import type { CliContext } from '../connection/context.ts';
import { replyLines, requestLines } from '../print/prompt.ts';
import { createPrintedFailures, errorLine } from '../print/run-error.ts';
import { createTracePrinter } from '../print/trace/trace-printer.ts';
import { helpOptions, waitingHelp } from './waiting-help.ts';
import { typedCommand } from '../../client/connect/cli-name.ts';
import type { AskedRequest } from '../../history/views/requests.ts';

export interface FollowOptions {
  /** Come back when the run waits for a person. */
  untilWaiting: boolean;
  /** Ctrl-C: ask (on a terminal) or cancel; or only look away. */
  onInterrupt: 'cancel' | 'leave';
  /** Options that commands for this run need beside its id. */
  flags: string[];
  /** The wait that was just decided; a sub-agent's call still waits in its parent until the parent knows. */
  decided?: { call: string; n: number } | undefined;
  /** Called for each event, as it is printed. */
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** Print exact requests and replies; rendered by these kinds. */
  verbose?: { kinds: readonly AgentKind[] | undefined } | undefined;
}

/**
 * Result of following: the run has ended (`error`: the line with the reason of a failure), waits for a person, or
 * continues without this command.
 */
export type Followed =
  | { type: 'ended'; report: RunReport; error: string | undefined }
  | { type: 'waiting'; report: RunReport }
  | Leaving;

/** The parts of a run and of a context that following needs: a test can give less than the real ones. */
export type FollowedRun = Pick<AgentRun, 'id' | 'events' | 'cancel' | 'describe'>;
export type FollowContext = Pick<CliContext, 'client' | 'namespace' | 'embedded' | 'workerFailed' | 'notify'>;

const OBSERVATION_ROWS = 8;
/** Time without an event after which a run whose turn is over waits for its background calls: at a limit, no event says so. */
const STILL_MS = 3000;

/** Prints a run on stderr from its beginning, and as it continues. */
export async function follow(
  io: Io,
  context: FollowContext,
  run: FollowedRun,
  options: FollowOptions,
): Promise<Followed> {
  const { stderr, env } = io;
  const colors = colorsFor(stderr, env);
  const printer = createTracePrinter({
    write: (text) => stderr.write(text),
    colors,
    width: () => stderr.columns || 100,
    wraps: stderr.isTTY === true,
    live: isAnsiTerminal(stderr, env),
    rows: OBSERVATION_ROWS,
    whole: typedCommand('show', [run.id]),
  });
  const signals = watchSignals(io, run, {
    onInterrupt: options.onInterrupt,
    clear: printer.end,
    async untilOver(signal) {
      for await (const _ of run.events({ signal }));
    },
  });
  const { notify } = context;
  context.notify = (line) => printer.note([line]);
  const stopWarning = warnWithoutWorker(context, () => locationOfRun(context.client.temporal, run.id));
  const verbose = options.verbose && createVerbose(io);
  const printed = createPrintedFailures();
  const view = new RunView(run.id);
  /** Sub-agents of the run's own calls, by call. */
  const below = new Map<string, RunView>();
  const helped = new Set<string>();
  const left = new AbortController();
  try {
    const requests = { onRequest: verbose?.onRequest, kinds: options.verbose?.kinds };
    const events = run.events({ subAgents: true, signal: left.signal, ...requests });
    const { decided } = options;
    const isOpen = ({ call, n }: WaitingCall) => call !== decided?.call || n !== decided.n;
    // The wait that has just been decided is over, though its event is still to come.
    const isHeldUp = (how = {}) => {
      const by = view.heldUpBy(how);
      return by.length > 0 && by.every(isOpen);
    };
    let coming: ReturnType<typeof events.next> | undefined;
    for (;;) {
      coming ??= events.next();
      const mayStand = options.untilWaiting && view.isCaughtUp && isHeldUp({ isStill: true });
      const still = mayStand ? [sleep(STILL_MS, { type: 'still' } as const, { ref: false })] : [];
      const next = await Promise.race([coming, signals.leaving, context.workerFailed, ...still]);
      await signals.answered();
      if ('type' in next) return next.type === 'still' ? { type: 'waiting', report: reportOf(view) } : next;
      coming = undefined;
      if (next.done === true) {
        const report = reportOf(view);
        return { type: 'ended', report, error: errorLine(report, printed) };
      }
      const event = next.value;
      if (event.within === undefined) printer.note(verbose?.lines(event) ?? []);
      printer.print(event);
      printed.add(event);
      options.onEvent?.(event);
      if (event.within === undefined) view.add(event);
      else subAgentOf(below, event.within).add(event);
      // Waits that were over before this command started need no help text.
      if (!view.isCaughtUp) continue;
      const waiting = view.waiting.filter(isOpen);
      for (const call of waiting) {
        const key = `${call.call} ${call.n}`;
        if (!helped.has(key))
          printer.note(waitingHelp(call, waiting, helpOptions(context, view, options.flags)));
        helped.add(key);
      }
      if (options.untilWaiting && (isHeldUp() || (view.status === 'paused' && isIdle(view, below)))) {
        return { type: 'waiting', report: reportOf(view) };
      }
    }
  } catch (error) {
    throw lostServer(error, context, run);
  } finally {
    left.abort();
    stopWarning();
    signals.stop();
    printer.end();
    context.notify = notify;
  }
}

function subAgentOf(below: Map<string, RunView>, within: string): RunView {
  const call = withoutSchedule(within);
  const view = below.get(call) ?? new RunView(within);
  below.set(call, view);
  return view;
}

/** True if nothing of the run is under way. A call of a paused run whose sub-agent is paused as well is not. */
function isIdle(view: RunView, below: ReadonlyMap<string, RunView>): boolean {
  const standsStill = (call: string) => {
    const own = below.get(call);
    return view.status === 'paused' && own?.status === 'paused' && callsAtWork(own).length === 0;
  };
  return callsAtWork(view).every(standsStill);
}

/** Tool calls that neither are over nor wait for a person. A call that waits for its lost attempt is among them. */
function callsAtWork({ underWay, waiting }: RunView): string[] {
  const callsThat = (waits: (wait: WaitingCall) => boolean) =>
    waiting.filter(waits).map(({ call }) => callPath(call)[0] ?? '');
  const halted = callsThat(needsPerson);
  const open = [...underWay].flatMap(([call, tool]) => (tool === 'callModel' ? [] : [call]));
  return [...open, ...callsThat((wait) => !needsPerson(wait))].filter((call) => !halted.includes(call));
}

/** Exact requests and raw replies. The request of each `model_started` arrives before the event. */
function createVerbose({ stderr }: Io) {
  const colors = colorsFor({}, {});
  const style = { colors, words: (text: string) => sanitizedFor(stderr, text) };
  const requests: AskedRequest[] = [];
  return {
    onRequest: (request: AskedRequest) => void requests.push(request),
    lines(event: RunEvent): string[] {
      if (event.type === 'model_ended') return replyLines(event.call, event.turn, style);
      const asked = event.type === 'model_started' ? requests.shift() : undefined;
      return asked === undefined ? [] : requestLines(asked.call, asked.request, style);
    },
  };
}

function lostServer(error: unknown, { client }: FollowContext, run: FollowedRun): unknown {
  if (failureOf(error).code !== exitCodes.unreachable) return error;
  return new TemporalUnreachable(
    `The Temporal server at ${client.address} no longer answers. The record of the run is kept there: \`${typedCommand('watch', [run.id])}\` continues.`,
    { cause: error },
  );
}
