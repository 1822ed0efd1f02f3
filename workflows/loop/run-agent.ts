import { limits } from '../../agent/values/limits.ts';
import { CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { ResolvedAgent } from '../../agent/calls/calls.ts';
import { RunAgents } from '../../agent/calls/run-agents.ts';
import { readFailure } from '../../agent/calls/failures.ts';
import type { RunOverrides } from '../../agent/start/overrides.ts';
import { type DoneCall, type KeptTurn, lastOfEach } from '../../agent/calls/restart.ts';
import { type RunResult, finished, unfinished } from '../../agent/run/run-result.ts';
import type { ChatMessage, ErrorInfo, Usage } from '../../agent/values/vocabulary.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { type RunningAgent, type StatusHooks, registerAgent } from './agent-registry.ts';
import { droppedEffects, mayHaveEffects } from '../run/dropped-effects.ts';
import { BackgroundCalls } from '../run/background-calls.ts';
import { Deadline } from '../run/deadline.ts';
import { type Emit, emitEnd, emitRestart, emitStart, emitter } from '../operator/emit.ts';
import { type BetweenTurns, iterate } from './loop.ts';
import type { LoopEnd } from './loop-end.ts';
import type { RecordedResult } from '../messages.ts';
import { resolve } from './resolve.ts';
import { rewind } from './rewind-loop.ts';
import { isContinueAsNew, withUsage } from '../temporal/run-failure.ts';
import { runTrace } from '../run/run-trace.ts';
import { openTranscript } from '../run/transcript.ts';
import type { Turn } from '../run/turn.ts';
import { type AgentRunInput, isFreshStart, lastStepOf, startCounters } from '../../agent/run/run-input.ts';

export interface RunAgentOptions {
  chatHistory?: ChatMessage[] | undefined;
  /** Values for `{names}` in the agent's prompt texts. */
  variables?: { [name: string]: string } | undefined;
  overrides?: RunOverrides | undefined;
}

/**
 * Runs an agent as a step of any workflow. A workflow can run several agents, one after the other or in parallel; decisions, messages and
 * the `status` query apply to all of them. Fails with an ApplicationFailure that has the type of its cause: `AgentNotFound`,
 * `ModelAuthenticationError`, or a tool's error type.
 */
export function runAgent(agent: string, input: string, options: RunAgentOptions = {}): Promise<RunResult> {
  const { chatHistory = [], variables, overrides } = options;
  return runToEnd({
    agent,
    question: { input, chatHistory, variables },
    overrides,
  });
}

/** Callbacks of the workflow that runs the loop. */
export interface LoopHooks extends StatusHooks {
  resolved?(resolved: ResolvedAgent): void;
  /** Called with each event of the run, also where the worker's config does not listen. */
  event?: Emit | undefined;
  /** Called when a run with a budget is cancelled, so that the parent's budget counts its usage. */
  cancelled?(usage: Usage): Promise<void>;
  /** May end the run by continuing it as new. Returns undefined if there is nothing to wait for. */
  betweenTurns?(loop: AgentLoop, resolved: ResolvedAgent, lastTurn: Turn): Promise<unknown> | undefined;
}

/** Runs an agent to its result, from its start or from the state of an earlier run. */
export async function runToEnd(input: AgentRunInput, hooks: LoopHooks = {}): Promise<RecordedResult> {
  const { said: unheard = [], takenWords } = input;
  const agent = registerAgent(input.agent, hooks, { unheard, lastStep: lastStepOf(input), takenWords });
  const resolved = await resolveOrReport(input, agent);
  hooks.resolved?.(resolved);
  const effects = mayHaveEffects(input, resolved) ? await droppedEffects(input, agent.scope) : [];
  const loop = createLoop(input, resolved, agent, effects, hooks.event);
  if (isFreshStart(input)) emitStart(loop.emit, input);
  emitRestart(loop.emit, input, loop.counters);
  agent.started(loop);
  loop.deadline.watch();
  try {
    const { result, log } = await iterateToEnd(
      loop,
      (lastTurn) => hooks.betweenTurns?.(loop, resolved, lastTurn),
      input.restart?.turn,
    );
    if (!loop.background.isEmpty) await endBackground(loop, false);
    emitEnd(loop.emit, loop.inbox, finished(result, log));
    return result;
  } catch (failure) {
    if (isContinueAsNew(failure)) throw failure;
    if (!loop.background.isEmpty) await endBackground(loop, true);
    emitEnd(loop.emit, loop.inbox, [unfinished(errorOf(failure), loop.counters)]);
    if (loop.manifest.budget === undefined) throw failure;
    if (isCancellation(failure)) await hooks.cancelled?.(loop.counters.usage);
    throw withUsage(failure, loop.counters.usage);
  } finally {
    agent.ended();
    loop.deadline.unwatch();
  }
}

/** Resolves the agent. A run without an agent has a start and an end: they are emitted here, because nothing says yet whether the config listens. */
async function resolveOrReport(
  input: AgentRunInput,
  { scope, inbox, earlyEvents }: RunningAgent,
): Promise<ResolvedAgent> {
  try {
    return await resolve(input, scope);
  } catch (failure) {
    const [emit, counters] = [emitter(true, input.agent, undefined), startCounters(input, Date.now())];
    if (input.restart === undefined) emitStart(emit, input);
    emitRestart(emit, input, counters);
    for (const event of earlyEvents()) emit?.(event);
    emitEnd(emit, inbox, [unfinished(errorOf(failure), counters)]);
    throw failure;
  }
}

function errorOf(failure: unknown): ErrorInfo | null {
  return isCancellation(failure) ? null : readFailure(failure).error;
}

/** Cancels the background calls: they end with their run. `isCancelling`: the run has failed. */
async function endBackground(
  { background, deadline, done }: AgentLoop,
  isCancelling: boolean,
): Promise<void> {
  await background.stop();
  const isCancelled = CancellationScope.current().consideredCancelled;
  background.settle({ overdue: deadline.passed, isCancelling: isCancelling || isCancelled, done });
}

/** Runs the loop to its end, and again after each rewind. */
async function iterateToEnd(
  loop: AgentLoop,
  betweenTurns: BetweenTurns,
  kept: KeptTurn | undefined,
): Promise<LoopEnd> {
  for (let turn = kept; ; turn = undefined) {
    if (loop.rewindTo !== undefined) {
      await rewind(loop, loop.rewindTo);
      turn = undefined;
    }
    loop.stepsScope = new CancellationScope();
    try {
      loop.background.check();
      const end = await loop.stepsScope.run(() => iterate(loop, betweenTurns, turn));
      loop.background.check();
      if (loop.rewindTo === undefined) return end;
    } catch (failure) {
      // A person may take the run back in place of its failure until all calls are over.
      if (loop.rewindTo === undefined && !isContinueAsNew(failure) && !loop.background.isEmpty)
        await loop.background.stop();
      // A cancellation of the run ends a rewind too.
      if (loop.rewindTo === undefined || CancellationScope.current().consideredCancelled)
        throw loop.background.failureOr(failure);
    }
  }
}

function createLoop(
  input: AgentRunInput,
  resolved: ResolvedAgent,
  { scope, control, pause, taken, inbox }: RunningAgent,
  effects: DoneCall[],
  onEvent: Emit | undefined,
): AgentLoop {
  const { manifest, events } = resolved;
  const { session } = input;
  const trace = runTrace(resolved.trace, {
    scope,
    agent: () => loop.manifest,
    session,
    firstN: () => loop.firstN,
  });
  // Temporal's reset changes the run id, but not the first execution's run id, so idempotency keys stay the same.
  const { root = workflowInfo().firstExecutionRunId, done = [] } = input;
  const counters = startCounters(input, Date.now());
  const agents = new RunAgents();
  agents.addEarlier(input.agents);
  agents.set(manifest);
  const loop: AgentLoop = {
    scope,
    root,
    get manifest() {
      return agents.get(0) ?? manifest;
    },
    agents,
    counters,
    transcript: openTranscript(input, manifest, scope),
    deadline: new Deadline(manifest, counters),
    control,
    pause,
    taken,
    inbox,
    background: new BackgroundCalls(CancellationScope.current(), () => loop.stepsScope.cancel()),
    nextModelCalls: new Map(),
    limitReached: undefined,
    recorded: input.recorded && { ...input.recorded, taken: { ...input.recorded.taken } },
    emit: emitter(events === true, manifest.name, trace, onEvent),
    trace,
    stepsScope: CancellationScope.current(),
    done: effects.length === 0 ? done : lastOfEach([...done, ...effects]),
    firstN: input.firstN ?? 0,
    lastStep: lastStepOf(input),
    rewindTo: undefined,
    checkpointBytes: limits.checkpointBytes,
  };
  return loop;
}
