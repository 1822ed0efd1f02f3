import { CancellationScope, isCancellation, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { type ModelTurn, type PlannedAction, type ToolResult, activityId } from '../agent/calls.ts';
import { utf8Length } from '../agent/digest.ts';
import type { ErrorInfo, OperatorDecision } from '../agent/events.ts';
import { type FailedCall, readFailure } from '../agent/failures.ts';
import { limits } from '../agent/limits.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import { cancelledTool, failedTool, skippedTool, unknownTool } from '../agent/observations.ts';
import { type Entry, type ReplyEntry, type StepEntry, entryBytes } from '../agent/transcript.ts';
import { type Json, addUsage } from '../agent/vocabulary.ts';
import { attachMeta } from './call-header.ts';
import { type ControlledCall, waitForDecision } from './control.ts';
import { runnerOptions } from './activity-options.ts';
import { runFailure } from './run-failure.ts';
import type { AgentLoop } from './run-state.ts';

/** Runs the actions of one turn, side by side; the steps keep the order of the calls, observations in place. */
export async function act(loop: AgentLoop, turn: ModelTurn, actions: PlannedAction[]): Promise<Turn> {
  const { iterations } = loop.counters;
  const taking = actions.map((action, index) => takeStep(loop, turn, action, `${iterations}.${index + 1}`));
  const [only] = taking;
  // Nearly all turns have one action, and in the sandbox each promise costs: the SDK records its stack.
  const steps = only !== undefined && taking.length === 1 ? [await only] : await Promise.all(taking);
  return { reply: replyOf(turn, String(iterations)), steps };
}

/** A turn that is over: its steps, and the reply where prompts repeat it as a message with native tool calls. */
export interface Turn {
  reply: ReplyEntry | undefined;
  steps: Step[];
}

function replyOf({ text, toolCalls }: ModelTurn, call: string): ReplyEntry | undefined {
  return toolCalls === undefined ? undefined : { type: 'reply', call, text, toolCalls };
}

export interface Step {
  entry: StepEntry;
  /** The activity whose result the observation is. */
  result: string | undefined;
  /** The observation is the tool's result, not a sentence about what went wrong. */
  genuine: boolean;
}

async function takeStep(
  loop: AgentLoop,
  turn: ModelTurn,
  action: PlannedAction,
  call: string,
): Promise<Step> {
  const { tool, toolInput, log = turn.text, observation, toolCallId } = action;
  const manifest = loop.manifest.tools.find(({ name }) => name === tool);
  const outcome =
    observation !== undefined || manifest === undefined
      ? { input: toolInput, observation: observation ?? unknownTool(tool, toolNames(loop)), genuine: false }
      : await callTool(loop, manifest, call, toolInput);
  return {
    entry: {
      type: 'step',
      call,
      action: { tool, toolInput: outcome.input, log },
      observation: outcome.observation,
      ...(toolCallId === undefined ? {} : { toolCallId }),
    },
    result: outcome.result,
    genuine: outcome.genuine,
  };
}

interface Outcome {
  input: Json;
  observation: Json;
  result?: string;
  genuine: boolean;
}

/** One tool call, however often it is scheduled: until it has a result, or a person or a policy ends it. */
async function callTool(
  loop: AgentLoop,
  tool: ToolManifest,
  call: string,
  toolInput: Json,
): Promise<Outcome> {
  const id = activityId(loop.scope, call, 0);
  const open: ControlledCall = {
    id,
    n: 0,
    park: undefined,
    decision: undefined,
    scope: new CancellationScope(),
  };
  loop.control.calls.set(id, open);
  try {
    let input = toolInput;
    let checkpoint: Json | undefined;
    for (;;) {
      const tried = await tryTool(loop, tool, call, open, input, checkpoint);
      if (tried.type === 'done') return { input, ...tried.done };
      if (tried.type === 'cancelled') {
        return { input, observation: cancelledTool(tried.reason), genuine: false };
      }
      const { error } = tried.failed;
      if (tool.onFailure === 'fail') throw runFailure(error);
      if (tool.onFailure === 'observe') {
        return { input, observation: failedTool(tool.name, error), genuine: false };
      }
      const park = {
        call: id,
        n: open.n,
        tool: tool.name,
        toolInput: input,
        reason: 'failed',
        error,
      } as const;
      const decision = await whileWaiting(loop, () => waitForDecision(loop.control, open, park));
      const ended = conclude(decision, error);
      if (ended !== undefined) return { input, ...ended };
      if (decision.type === 'retry' && decision.input !== undefined) input = decision.input;
      checkpoint = tried.failed.checkpoint;
      open.n++;
      open.scope = new CancellationScope();
    }
  } finally {
    loop.control.calls.delete(id);
  }
}

type Tried =
  | { type: 'done'; done: { observation: Json; result: string; genuine: boolean } }
  | { type: 'cancelled'; reason: string | undefined }
  | { type: 'failed'; failed: FailedCall };

/** One schedule of a call: one activity, with all its attempts. */
async function tryTool(
  loop: AgentLoop,
  tool: ToolManifest,
  call: string,
  open: ControlledCall,
  input: Json,
  checkpoint: Json | undefined,
): Promise<Tried> {
  const id = activityId(loop.scope, call, open.n);
  const { retry, timeoutMs, maxOutputChars } = tool;
  attachMeta(id, {
    root: loop.root,
    scope: loop.scope,
    call,
    retry,
    timeoutMs,
    maxOutputChars,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
  try {
    const { output, usage, kind } = await open.scope.run(() => toolActivity(tool, id, input)(input));
    if (usage !== undefined) loop.counters.usage = addUsage(loop.counters.usage, usage);
    return { type: 'done', done: { observation: output, result: id, genuine: kind === undefined } };
  } catch (failure) {
    const decision = open.decision;
    if (isCancellation(failure) && decision?.type === 'cancelCall') {
      open.decision = undefined;
      return { type: 'cancelled', reason: decision.reason };
    }
    if (isCancellation(failure)) throw failure;
    return { type: 'failed', failed: readFailure(failure) };
  }
}

function toolActivity(tool: ToolManifest, id: string, input: Json): (input: Json) => Promise<ToolResult> {
  const activities = proxyActivities<{ [name: string]: (input: Json) => Promise<ToolResult> }>({
    activityId: id,
    summary: summary(input),
    ...runnerOptions(tool.retry.maxAttempts, tool.timeoutMs),
    ...(tool.taskQueue === undefined ? {} : { taskQueue: tool.taskQueue }),
  });
  const activity = activities[tool.name];
  if (activity === undefined) throw new Error('unreachable: a proxy has every name');
  return activity;
}

/** What a decision ends the call with; undefined when it is to be run again. */
function conclude(
  decision: OperatorDecision,
  error: ErrorInfo,
): { observation: Json; genuine: boolean } | undefined {
  switch (decision.type) {
    case 'retry':
      return undefined;
    case 'resolve':
      return { observation: decision.output, genuine: true };
    case 'skip':
      return { observation: skippedTool(decision.reason), genuine: false };
    case 'cancelCall':
      return { observation: cancelledTool(decision.reason), genuine: false };
    case 'abort': {
      const why = decision.reason === undefined ? '' : `: ${decision.reason}`;
      const message = `Aborted by the operator${why}. The call had failed: ${error.message}`;
      throw runFailure({ type: 'Aborted', message });
    }
  }
}

/** Time spent waiting for a person does not count against the run's time limit. */
async function whileWaiting<T>(loop: AgentLoop, wait: () => Promise<T>): Promise<T> {
  if (loop.waits++ === 0) loop.waitingSinceMs = Date.now();
  try {
    return await wait();
  } finally {
    if (--loop.waits === 0) loop.counters.waitedMs += Date.now() - loop.waitingSinceMs;
  }
}

/**
 * The steps as they travel on: an observation that is a call's recorded result is referred to, not recorded twice,
 * unless it is small or fits into `budget` bytes.
 */
export function travelling({ reply, steps }: Turn, budget = 0): Entry[] {
  let left = budget;
  const entries = steps.map(({ entry, result }) => {
    const bytes = entryBytes(entry);
    const inPlace =
      result === undefined ||
      bytes <= left ||
      utf8Length(JSON.stringify(entry.observation)) <= limits.inlineBytes;
    if (inPlace) left -= bytes;
    return inPlace
      ? entry
      : { ...entry, observation: null, ref: { runId: workflowInfo().runId, activityId: result } };
  });
  return reply === undefined ? entries : [reply, ...entries];
}

/** The same with every observation in place. */
export function whole({ reply, steps }: Turn): Entry[] {
  const entries = steps.map(({ entry }) => entry);
  return reply === undefined ? entries : [reply, ...entries];
}

function toolNames(loop: AgentLoop): string[] {
  return loop.manifest.tools.map(({ name }) => name);
}

/** What the Web UI's timeline shows behind the tool's name, at most 120 characters of it. */
function summary(input: Json): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
