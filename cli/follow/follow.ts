import { callPath } from '../../agent/calls.ts';
import type { AgentKind } from '../../agent/kinds/kind.ts';
import { type RunEvent, isRecorded } from '../../agent/events.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { TemporalUnreachable } from '../../client/errors.ts';
import { placeOfRun } from '../../client/place.ts';
import { type RunReport, addToReport, emptyReport } from '../../client/report.ts';
import { colorsFor, shellWord } from '../print/display.ts';
import { harmlessOn } from '../print/harmless.ts';
import { failureOf, exitCodes } from '../exit-codes.ts';
import { type Leaving, watchSignals } from './leave.ts';
import type { Io } from '../io.ts';
import { warnWithoutWorker } from './no-worker.ts';
import { replyLines, requestLines } from '../print/prompt.ts';
import { createTracePrinter } from '../print/trace-printer.ts';
import type { CliContext } from '../context.ts';
import { waitingHelp } from './waiting-help.ts';
import { reloop } from '../../client/typed-command.ts';

export interface FollowOptions {
  /** Come back when the run waits for a person. */
  untilWaiting: boolean;
  /** Ctrl-C: ask (on a terminal) or cancel; or only look away. */
  onInterrupt: 'cancel' | 'leave';
  /** What commands for this run need beside its id. */
  flags: string[];
  /** Has just been decided; a sub-agent's call is still said to wait until its parent hears of that. */
  decided?: { call: string; n: number } | undefined;
  /** Told of each event, as it is printed. */
  onEvent?: ((event: RunEvent) => void) | undefined;
  /** Print exact requests and replies; rendered by these kinds. */
  verbose?: { kinds: Iterable<AgentKind> | undefined };
}

/** Where following came to: the run has ended, waits for a person, or goes on without us. */
export type Followed =
  { type: 'ended'; report: RunReport } | { type: 'waiting'; report: RunReport } | Leaving;

/** What following needs of a run and of a context: a test can give less than the real ones. */
export type FollowedRun = Pick<AgentRun, 'id' | 'events' | 'requests' | 'cancel' | 'describe'>;
export type FollowContext = Pick<CliContext, 'client' | 'namespace' | 'embedded' | 'workerFailed' | 'notify'>;

const OBSERVATION_ROWS = 8;

/** Prints a run on stderr from its beginning, and as it goes on. */
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
    width: () => stderr.columns ?? 100,
    live: stderr.isTTY === true && env['TERM'] !== 'dumb',
    rows: OBSERVATION_ROWS,
    whole: `${reloop()} show ${shellWord(run.id)}`,
  });
  const signals = watchSignals(io, run, { onInterrupt: options.onInterrupt, clear: printer.end });
  const { notify } = context;
  context.notify = (line) => printer.note([line]);
  const stopWarning = warnWithoutWorker(context, () => placeOfRun(context.client.temporal, run.id));
  const verbose = options.verbose && createVerbose(io, run, options.verbose.kinds);
  const progress = createProgress();
  const report = emptyReport(run.id, '');
  const left = new AbortController();
  try {
    const recorded = await countEvents(run);
    const events = run.events({ subAgents: true, signal: left.signal });
    for (let seen = 0; ;) {
      const next = await Promise.race([events.next(), signals.leaving, context.workerFailed]);
      await signals.answered();
      if ('type' in next) return next;
      if (next.done === true) return { type: 'ended', report };
      const event = next.value;
      if (event.within === undefined) {
        if (isRecorded(event)) seen++;
        printer.note((await verbose?.(event)) ?? []);
      }
      printer.print(event);
      options.onEvent?.(event);
      if (event.within === undefined) addToReport(report, event);
      progress.add(event);
      // Past waits that were decided long ago need no help text: only the state at the end of the record counts.
      if (seen < recorded) continue;
      const { decided } = options;
      const waiting = report.waiting.filter(({ call, n }) => call !== decided?.call || n !== decided.n);
      printer.note(progress.newHelp({ ...report, waiting }, context, options.flags));
      const stands = waiting.length > 0 || report.status === 'paused';
      if (options.untilWaiting && stands && progress.idle(report.status === 'paused')) {
        return { type: 'waiting', report };
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

/** How many events are recorded of a run so far. */
export async function countEvents(run: Pick<FollowedRun, 'events'>): Promise<number> {
  let events = 0;
  for await (const _ of run.events({ follow: false })) events++;
  return events;
}

/** Which calls run, and for which waiting ones it has been said what to type. */
function createProgress() {
  const running = new Set<string>();
  const within = new Map<string, Set<string>>();
  const paused = new Set<string>();
  const helped = new Set<string>();
  /** A sub-agent that is paused is not under way, once its own calls have ended. */
  const standsStill = (call: string) => paused.has(call) && within.get(call)?.size === 0;
  return {
    idle: (isPaused: boolean) => [...running].every((call) => isPaused && standsStill(call)),
    add(event: RunEvent) {
      if (event.within === undefined) return addCall(running, event);
      const [caller = ''] = callPath(event.within);
      const calls = within.get(caller) ?? new Set();
      within.set(caller, calls);
      if (event.within !== caller) return; // it is paused with the one above it
      addCall(calls, event);
      if (event.type !== 'steered') return;
      if (event.message.type === 'pause') paused.add(caller);
      if (event.message.type === 'resume') paused.delete(caller);
    },
    newHelp(
      { id, runId, waiting }: RunReport,
      { embedded, namespace }: FollowContext,
      flags: string[],
    ): string[] {
      return waiting.flatMap((call) => {
        const key = `${call.call} ${call.n}`;
        if (helped.has(key)) return [];
        helped.add(key);
        return waitingHelp(call, waiting, { id, runId, flags, namespace, uiUrl: embedded?.uiUrl });
      });
    },
  };
}

function addCall(running: Set<string>, event: RunEvent): void {
  if (event.type === 'tool_started') running.add(event.call);
  if (event.type === 'tool_failed') running.delete(event.call);
  if (event.type === 'step') running.delete(event.step.call);
  // A sub-agent that waits is not under way.
  if (event.type === 'waiting') running.delete(callPath(event.park.call)[0] ?? '');
  if (event.type === 'resumed') running.add(callPath(event.call)[0] ?? '');
}

/** Exact requests and raw replies. Both readers take the same events from the same history, so they go in step. */
function createVerbose({ stderr }: Io, run: FollowedRun, kinds: Iterable<AgentKind> | undefined) {
  const colors = colorsFor({ write: () => undefined }, {});
  const style = { colors, words: (text: string) => harmlessOn(stderr, text) };
  const requests = run.requests({ follow: true, kinds });
  return async (event: RunEvent): Promise<string[]> => {
    if (event.type === 'model_ended') return replyLines(event.call, event.turn, style);
    if (event.type !== 'model_started') return [];
    const asked = await requests.next();
    return asked.done === true ? [] : requestLines(asked.value.call, asked.value.request, style);
  };
}

function lostServer(error: unknown, { client }: FollowContext, run: FollowedRun): unknown {
  if (failureOf(error).code !== exitCodes.unreachable) return error;
  return new TemporalUnreachable(
    `The Temporal server at ${client.address} no longer answers. What the run did is kept there: \`${reloop()} watch ${run.id}\` goes on.`,
    { cause: error },
  );
}
