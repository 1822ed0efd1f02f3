import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { type ResolveAgentInput, type ResolvedAgent, activityId } from '../agent/calls.ts';
import type { Park } from '../agent/events.ts';
import { freshCounters, reachedLimit } from '../agent/limits.ts';
import { type ChatMessage, type Json, type StopReason, addUsage, noUsage } from '../agent/vocabulary.ts';
import type { RunOverrides } from '../agent/overrides.ts';
import { type Step, type Turn, act, travelling, whole } from './act.ts';
import { HEARTBEAT_TIMEOUT } from './activity-options.ts';
import { type Control, createControl } from './control.ts';
import type { Lineage, RunResult, RunState } from './messages.ts';
import { watchDeadline } from './deadline.ts';
import { notifier } from './notify.ts';
import { plan, planClosing } from './plan.ts';
import { asRunFailure, runFailure } from './run-failure.ts';
import type { AgentLoop } from './run-state.ts';
import { showWaiting } from './status.ts';
import { isContinueAsNew, tellEnd, tellFailure, tellStart } from './tell.ts';
import { type TranscriptWriter, append, continuedTranscript, newTranscript } from './transcript.ts';

export interface RunAgentOptions {
  chatHistory?: ChatMessage[];
  /** Values for the agent's own `{names}` in its prompt texts. */
  variables?: { [name: string]: string };
  overrides?: RunOverrides;
}

/**
 * Runs an agent as a step of any workflow. Several can run in one workflow, in turn or side by side; the operator's
 * updates and the `status` query speak to all of them. Fails with an ApplicationFailure whose type is the cause's:
 * `AgentNotFound`, `ModelAuthenticationError`, a tool's own.
 */
export function runAgent(agent: string, input: string, options: RunAgentOptions = {}): Promise<RunResult> {
  const { chatHistory = [], variables, overrides } = options;
  return runLineage({
    agent,
    question: { input, chatHistory, ...(variables === undefined ? {} : { variables }) },
    ...(overrides === undefined ? {} : { overrides }),
  });
}

/** What the workflow around the loop may want to do as it goes on. */
export interface LoopHooks {
  resolved?(resolved: ResolvedAgent): void;
  waiting?(parks: Park[]): void;
  /** May end the run by continuing it as new; undefined when there is nothing to wait for. */
  betweenTurns?(loop: AgentLoop, resolved: ResolvedAgent, lastTurn: Turn): Promise<never> | undefined;
}

/** One agent, from its start or from where an earlier run left off, to its result. */
export async function runLineage(lineage: Lineage, hooks: LoopHooks = {}): Promise<RunResult> {
  const scope = agents.length;
  const agent: RunningAgent = { name: lineage.agent, loop: undefined, over: false, hooks };
  agents.push(agent);
  control ??= createControl(workflowState, onWaitingChange);

  const resolved = await resolve(lineage, scope);
  hooks.resolved?.(resolved);
  const loop = begin(lineage, resolved, scope, control);
  agent.loop = loop;
  const endWatch = watchDeadline(loop);
  if (lineage.from === undefined) tellStart(loop, lineage);
  try {
    const ended = await iterate(loop, (lastTurn) => hooks.betweenTurns?.(loop, resolved, lastTurn));
    tellEnd(loop, ended);
    return ended;
  } catch (failure) {
    if (!isContinueAsNew(failure)) tellFailure(loop, failure);
    throw failure;
  } finally {
    agent.over = true;
    endWatch();
  }
}

/** The loop: think, act, observe. */
async function iterate(
  loop: AgentLoop,
  betweenTurns: (lastTurn: Turn) => Promise<never> | undefined,
): Promise<RunResult> {
  const { counters, manifest, transcript } = loop;
  for (;;) {
    const limit = loop.overdue ? 'max_execution_time' : reachedLimit(manifest, counters, Date.now());
    if (limit !== undefined) return stopped(loop, limit);

    const turn = await plan(loop);
    if (turn === undefined) return stopped(loop, 'max_execution_time');
    counters.iterations++;
    const { decision } = turn;
    if (decision.type === 'fail') throw runFailure(decision.error);
    if (decision.type === 'finish') {
      loop.answerLog = decision.log ?? turn.text;
      return result(loop, decision.output, 'final_answer');
    }
    if (decision.type === 'stop') return stopped(loop, 'max_iterations');

    const acted = await act(loop, turn, decision.actions);
    const direct = returnDirect(loop, acted.steps);
    if (direct !== undefined) return result(loop, direct.entry.observation, 'return_direct');

    append(transcript, travelling(acted), whole(acted));
    const leaving = betweenTurns(acted);
    if (leaving !== undefined) await leaving;
  }
}

/** The end that a limit makes: a fixed sentence, or what the model makes of the steps so far. No step, no call. */
async function stopped(loop: AgentLoop, limit: StopReason): Promise<RunResult> {
  const { manifest, counters } = loop;
  if (manifest.earlyStopping !== 'generate' || counters.iterations === 0) {
    return result(loop, manifest.stoppedOutput, limit);
  }
  const { decision } = await planClosing(loop);
  if (decision.type === 'fail') throw runFailure(decision.error);
  return result(loop, decision.type === 'finish' ? decision.output : manifest.stoppedOutput, limit);
}

/** The agent's definition is resolved once in a lineage and recorded. */
async function resolve(lineage: Lineage, scope: number): Promise<ResolvedAgent> {
  const { agent, overrides, manifest, searchAttributes = false, events } = lineage;
  if (manifest !== undefined) return { manifest, searchAttributes, ...(events ? { events } : {}) };
  const variables = lineage.question?.variables;
  const { resolveAgent } = proxyActivities<{
    resolveAgent(input: ResolveAgentInput): Promise<ResolvedAgent>;
  }>({
    activityId: activityId(scope, 'resolve', 0),
    summary: agent,
    startToCloseTimeout: '10s',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    // A rolling deploy: for 30 s the agent may be known to some workers only.
    retry: { maximumAttempts: 16, initialInterval: '2s', backoffCoefficient: 1 },
  });
  return resolveAgent({
    agent,
    ...(overrides === undefined ? {} : { overrides }),
    ...(isConversation(lineage) ? { chatHistory: true } : {}),
    ...(variables === undefined ? {} : { variables: Object.keys(variables) }),
  }).catch((failure: unknown) => {
    throw asRunFailure(failure);
  });
}

function isConversation({ question, session }: Lineage): boolean {
  return session !== undefined || (question?.chatHistory.length ?? 0) > 0;
}

function begin(lineage: Lineage, resolved: ResolvedAgent, scope: number, operator: Control): AgentLoop {
  const { counters, root = workflowInfo().runId } = lineage;
  return {
    scope,
    root,
    manifest: resolved.manifest,
    counters: counters ?? freshCounters(Date.now()),
    transcript: openTranscript(lineage, resolved, scope),
    notify: notifier(resolved.events === true),
    answerLog: '',
    control: operator,
    scopeAround: CancellationScope.current(),
    overdue: false,
    cutAtDeadline: new Set(),
    waits: 0,
    waitingSinceMs: 0,
  };
}

function openTranscript(lineage: Lineage, { manifest }: ResolvedAgent, scope: number): TranscriptWriter {
  const { question = { input: '', chatHistory: [] }, from, pending = [] } = lineage;
  const trim = manifest.trimIntermediateSteps;
  if (from === undefined) {
    return newTranscript(scope, trim, [
      { type: 'agent', manifest },
      { type: 'question', ...question },
    ]);
  }
  const { entries, ...origin } = from;
  const transcript = continuedTranscript(scope, trim, origin, entries);
  append(transcript, pending);
  return transcript;
}

/** With exactly one action whose tool says so, its observation is the answer and the model is not asked again. */
function returnDirect(loop: AgentLoop, steps: Step[]): Step | undefined {
  const [only, second] = steps;
  if (only === undefined || second !== undefined || !only.genuine) return undefined;
  const tool = loop.manifest.tools.find(({ name }) => name === only.entry.action.tool);
  return tool?.returnDirect === true ? only : undefined;
}

function result({ counters, manifest }: AgentLoop, output: Json, stopReason: StopReason): RunResult {
  const { memory } = manifest;
  return {
    output,
    stopReason,
    iterations: counters.iterations,
    usage: counters.usage,
    ...(memory === undefined ? {} : { memory }),
  };
}

/** The agents of this workflow, by scope, and the one operator's gate they share. Module state is a workflow's own. */
interface RunningAgent {
  name: string;
  loop: AgentLoop | undefined;
  over: boolean;
  hooks: LoopHooks;
}

const agents: RunningAgent[] = [];
let control: Control | undefined;

function workflowState(): RunState {
  const parks = waitingCalls();
  const calls = [...(control?.calls.values() ?? [])];
  return {
    agent: agents.map(({ name }) => name).join(', '),
    status: parks.length > 0 ? 'waiting' : 'running',
    iterations: agents.reduce((sum, { loop }) => sum + (loop?.counters.iterations ?? 0), 0),
    running: calls.filter(({ park }) => park === undefined).map(({ id }) => id),
    waiting: parks,
    usage: agents.reduce((sum, { loop }) => addUsage(sum, loop?.counters.usage ?? noUsage), noUsage),
  };
}

function onWaitingChange(): void {
  const parks = waitingCalls();
  showWaiting(parks);
  for (const { over, hooks } of agents) if (!over) hooks.waiting?.(parks);
}

function waitingCalls(): Park[] {
  return [...(control?.calls.values() ?? [])].flatMap(({ park, childParks }) =>
    park === undefined ? childParks : [park, ...childParks],
  );
}
