import { setMaxListeners } from 'node:events';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { type Usage, addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import { AgentRunCancelled, AgentRunFailed, InvalidInput } from '../connect/errors.ts';
import type { RunResultWithSteps } from '../report.ts';
import type { Input } from '../start/read-input.ts';
import { newRunId } from '../start/run-id.ts';
import type { StartOptions } from '../start/start-options.ts';
import type { AgentRun, ResultOptions } from './agent-run.ts';

/** A question, or a question with its own start options, which win over the batch's. */
export type BatchInput = Input | ({ input: Input } & StartOptions);

export interface BatchOptions extends StartOptions {
  /** Runs under way at the same time. A run that waits for a person, or is paused, gives its place to the next. Default 4. */
  concurrency?: number | undefined;
  /** Run n is called `ID-n`, from 1: the same batch started again continues where it was. Default: ids by chance. */
  id?: string | undefined;
  /**
   * Decides what happens to runs that wait for a person. 'leave': the batch ends without them, and their result is `waiting`. 'wait': it
   * ends when they have ended, too. A function is called for each wait, as by `run.result()`, and the batch waits. Default: 'leave'.
   */
  onWaiting?: 'leave' | 'wait' | ((waiting: WaitingCall, run: AgentRun) => unknown) | undefined;
  /** Called when a run starts, waits, or ends. An error that it throws ends the batch; the runs continue. */
  onProgress?: ((progress: BatchProgress) => void) | undefined;
  /** Ends the batch: no more runs are started, those under way continue, and missing results are rejected with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** State of a batch. Each run that was started counts once: as running, waiting, done or failed. */
export interface BatchProgress {
  /** Number of inputs. */
  total: number;
  running: number;
  /** Runs that wait for a person, or are paused. With `onWaiting` as a function, or 'wait': runs that did, and have not ended. */
  waiting: number;
  /** Runs that have an answer. */
  done: number;
  /** Runs that have failed or were cancelled, and inputs that could not be started. */
  failed: number;
  /** Sum over the runs that have ended. */
  usage: Usage;
}

/**
 * Result of one input, with the id of its run. `rejected`: as a promise is, with AgentRunFailed, AgentRunCancelled or InvalidInput. `waiting`: the
 * calls of the run that wait for a person; none where the run is paused.
 */
export type BatchResult =
  | { status: 'fulfilled'; id: string; value: RunResultWithSteps }
  | { status: 'rejected'; id: string; reason: unknown }
  | { status: 'waiting'; id: string; waiting: WaitingCall[] };

/** The part of a client that a batch needs. */
export interface BatchRunner {
  /** Starts a run. An id that is there gives that run; throws InvalidInput where it was asked something else. */
  begin(agent: string, input: Input, options: StartOptions & { id: string }): Promise<BatchedRun>;
}

interface BatchedRun {
  result(options: ResultOptions): Promise<RunResultWithSteps>;
  /** Resolves when the run makes no progress without a person. */
  untilHalted(signal: AbortSignal, options: { atOnce: boolean }): Promise<WaitingCall[]>;
}

/**
 * Runs an agent on many inputs, a few at a time. Results come in the order of the inputs; a run that fails is a rejection in its place, and
 * the others continue. Throws InvalidInput for impossible options.
 */
export async function runBatch(
  client: BatchRunner,
  agent: string,
  inputs: readonly BatchInput[],
  options: BatchOptions = {},
): Promise<BatchResult[]> {
  const { concurrency = 4, id, onWaiting = 'leave', onProgress, signal, ...common } = options;
  check(options);
  const results: BatchResult[] = [];
  const count = createCount(inputs.length, onProgress);
  const halted: { index: number; run: BatchedRun; id: string }[] = [];
  const waitedFor: Promise<void>[] = [];
  const abort = new AbortController();
  const ends = abort.signal;
  // Each run under way listens; Node warns of a leak from the 11th listener on.
  setMaxListeners(0, ends);
  const forget = abortWith(abort, signal);

  const settle = (result: BatchResult, index: number): void => {
    results[index] = result;
    count.settle(result, index);
  };

  const work = async (item: BatchInput, index: number): Promise<void> => {
    const { input, ...own } = isOnlyInput(item) ? { input: item } : item;
    const runId = own.id ?? (id === undefined ? newRunId(agent) : `${id}-${index + 1}`);
    if (ends.aborted) return settle(rejected(runId, ends.reason), index);
    count.begin(index);
    let run: BatchedRun;
    try {
      run = await client.begin(agent, input, { ...common, ...own, id: runId });
    } catch (reason) {
      return settle(rejected(runId, reason), index);
    }
    if (onWaiting !== 'leave') {
      const { first, end } = untilEnd(run, runId, onWaiting === 'wait' ? () => undefined : onWaiting, ends);
      const over = end.then((result) => settle(result, index));
      const isOver = await Promise.race([over.then(() => true), first.then(() => false)]);
      if (isOver) return;
      count.wait(index);
      waitedFor.push(over);
      return;
    }
    const result = await endOrHalt(run, runId, ends, { atOnce: false });
    if (result.status !== 'waiting') return settle(result, index);
    count.wait(index);
    halted.push({ index, run, id: runId });
  };

  try {
    await aFewAtATime(inputs, concurrency, work);
    await Promise.all(waitedFor);
    // A decision may have come meanwhile.
    await aFewAtATime(halted, concurrency, async (one) =>
      settle(await endOrHalt(one.run, one.id, ends, { atOnce: true }), one.index),
    );
    return results;
  } catch (error) {
    abort.abort(error);
    await Promise.allSettled(waitedFor);
    throw error;
  } finally {
    forget();
  }
}

/** Aborts with another signal, for as long as the returned function is not called. */
function abortWith(own: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined;
  const abort = () => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}

/** JavaScript does not check types. */
function check({ concurrency = 4, onWaiting = 'leave' }: BatchOptions): void {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new InvalidInput(`concurrency is ${concurrency}; give a whole number, 1 or more.`);
  if (typeof onWaiting === 'function' || onWaiting === 'leave' || onWaiting === 'wait') return;
  throw new InvalidInput(`onWaiting is ${String(onWaiting)}; give 'leave', 'wait' or a function.`);
}

function isOnlyInput(item: BatchInput): item is Input {
  return typeof item === 'string' || Array.isArray(item);
}

/** Waits until a run has ended, or makes no progress without a person. */
async function endOrHalt(
  run: BatchedRun,
  id: string,
  signal: AbortSignal,
  look: { atOnce: boolean },
): Promise<BatchResult> {
  const over = new AbortController();
  const forget = abortWith(over, signal);
  const end = settled(id, run.result({ signal: over.signal }), signal);
  const halt = run.untilHalted(over.signal, look).then(
    (waiting): BatchResult => ({ status: 'waiting', id, waiting }),
    // The result says it: both ask one server, and one of them was ended by the other.
    () => end,
  );
  try {
    return await Promise.race([end, halt]);
  } finally {
    forget();
    over.abort();
    await Promise.all([end, halt]);
  }
}

/** Follows a run to its end. `first`: resolves when it waits for the first time. */
function untilEnd(
  run: BatchedRun,
  id: string,
  tell: (waiting: WaitingCall, run: AgentRun) => unknown,
  signal: AbortSignal,
): { first: Promise<void>; end: Promise<BatchResult> } {
  let waits: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (waits = resolve));
  const onWaiting: typeof tell = (waiting, of) => {
    waits();
    return tell(waiting, of);
  };
  return { first, end: settled(id, run.result({ onWaiting, signal }), signal) };
}

async function settled(
  id: string,
  result: Promise<RunResultWithSteps>,
  signal: AbortSignal,
): Promise<BatchResult> {
  try {
    return { status: 'fulfilled', id, value: await result };
  } catch (reason) {
    return rejected(id, signal.aborted ? signal.reason : reason);
  }
}

function rejected(id: string, reason: unknown): BatchResult {
  return { status: 'rejected', id, reason };
}

function createCount(total: number, notify: BatchOptions['onProgress']) {
  const runs = { running: new Set<number>(), waiting: new Set<number>() };
  const ended = { done: 0, failed: 0 };
  let usage = noUsage;
  const report = () => {
    const { running, waiting } = runs;
    notify?.({ total, running: running.size, waiting: waiting.size, ...ended, usage });
  };
  return {
    begin(index: number): void {
      runs.running.add(index);
      report();
    },
    wait(index: number): void {
      runs.running.delete(index);
      runs.waiting.add(index);
      report();
    },
    settle(result: BatchResult, index: number): void {
      if (result.status === 'waiting') return;
      runs.running.delete(index);
      runs.waiting.delete(index);
      ended[result.status === 'fulfilled' ? 'done' : 'failed']++;
      usage = addUsage(usage, usageOf(result) ?? noUsage);
      report();
    },
  };
}

function usageOf(result: BatchResult): Usage | undefined {
  if (result.status === 'fulfilled') return result.value.usage;
  if (result.status === 'waiting') return undefined;
  const { reason } = result;
  const hasReport = reason instanceof AgentRunFailed || reason instanceof AgentRunCancelled;
  return hasReport ? reason.report.usage : undefined;
}
