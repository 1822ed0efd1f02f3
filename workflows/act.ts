import { type ModelTurn, type PlannedAction, activityId } from '../agent/calls.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { limits } from '../agent/limits.ts';
import { unknownTool } from '../agent/observations.ts';
import {
  type Entry,
  type ReplyEntry,
  type ResultRef,
  type StepEntry,
  entryBytes,
} from '../agent/transcript/entries.ts';
import { EXCEPTION_TOOL } from '../agent/vocabulary.ts';
import { type Outcome, callTool } from './call-tool.ts';
import type { AgentLoop } from './run-state.ts';

/** A turn that is over: its steps, and the reply where prompts repeat it as a message with native tool calls. */
export interface Turn {
  reply: ReplyEntry | undefined;
  steps: Step[];
}

export interface Step {
  entry: StepEntry;
  /** Where the observation is recorded as a call's result. */
  result: ResultRef | undefined;
  /** The observation is the tool's own word, not a sentence about what went wrong. */
  genuine: boolean;
}

/** Runs the actions of one turn, side by side; the steps keep the order of the calls, observations in place. */
export async function act(loop: AgentLoop, turn: ModelTurn, actions: PlannedAction[]): Promise<Turn> {
  const { iterations } = loop.counters;
  const taking = actions.map((action, index) => takeStep(loop, turn, action, `${iterations}.${index + 1}`));
  const [only] = taking;
  // Nearly all turns have one action, and in the sandbox each promise costs: the SDK records its stack.
  const steps = only !== undefined && taking.length === 1 ? [await only] : await Promise.all(taking);
  return { reply: replyOf(turn, String(iterations)), steps };
}

function replyOf({ text, toolCalls }: ModelTurn, call: string): ReplyEntry | undefined {
  return toolCalls === undefined ? undefined : { type: 'reply', call, text, toolCalls };
}

async function takeStep(
  loop: AgentLoop,
  turn: ModelTurn,
  action: PlannedAction,
  call: string,
): Promise<Step> {
  const { tool, toolInput, log = turn.text, observation, toolCallId } = action;
  const id = activityId(loop.scope, call, 0);
  const manifest = loop.manifest.tools.find(({ name }) => name === tool);
  loop.notify?.({ type: 'action', call: id, action: { tool, toolInput, log } });
  const startedAt = loop.notify && Date.now();
  const outcome =
    observation !== undefined || manifest === undefined
      ? known(loop, id, action)
      : await callTool(loop, manifest, call, toolInput);
  const step = { action: { tool, toolInput: outcome.input, log }, observation: outcome.observation };
  loop.notify?.({
    type: 'step',
    step: { ...step, call: id, attempts: outcome.attempts, durationMs: Date.now() - (startedAt ?? 0) },
  });
  return {
    entry: { type: 'step', call, ...step, ...(toolCallId === undefined ? {} : { toolCallId }) },
    result: outcome.result,
    genuine: outcome.genuine,
  };
}

/** Nothing has to be run to know what comes of it. */
function known(loop: AgentLoop, call: string, { tool, toolInput, observation }: PlannedAction): Outcome {
  const tools = loop.manifest.tools.map(({ name }) => name);
  const isTool = tool === EXCEPTION_TOOL || tools.includes(tool);
  loop.notify?.({ type: 'tool_started', call, tool: isTool ? tool : 'invalid_tool', toolInput });
  return {
    input: toolInput,
    observation: observation ?? unknownTool(tool, tools),
    genuine: false,
    attempts: 0,
  };
}

/**
 * A turn's entries as they travel on: an observation that is a call's recorded result is referred to, not recorded twice,
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
    return inPlace ? entry : { ...entry, observation: null, ref: result };
  });
  return reply === undefined ? entries : [reply, ...entries];
}

/** The same with every observation in place. */
export function whole({ reply, steps }: Turn): Entry[] {
  const entries = steps.map(({ entry }) => entry);
  return reply === undefined ? entries : [reply, ...entries];
}
