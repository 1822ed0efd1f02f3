import { limits } from '../../agent/values/limits.ts';
import { capOutput } from '../../agent/observation/output.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import type { Entry, ReplyEntry, ResultRef, StepEntry } from '../../agent/transcript/entries.ts';

/** An ended turn. `reply`: for agents with native tool calls, whose prompts repeat the reply as a message. */
export interface Turn {
  reply: ReplyEntry | undefined;
  steps: Step[];
}

export interface Step {
  entry: StepEntry;
  /** Reference to the call's result, if the observation is recorded there. */
  result: ResultRef | undefined;
  /** The observation comes from the tool. false: it is a sentence about a failure. */
  fromTool: boolean;
}

/**
 * Cuts inputs, and observations that no call has recorded, so that together they stay below `limits.turnBytes`. Above the limit each is
 * cut to an equal share.
 */
export function boundedTurn({ reply, steps }: Turn): Turn {
  const inPlace = steps.flatMap(({ entry, result }) => [
    jsonBytes(entry.action.toolInput),
    ...(result === undefined ? [jsonBytes(entry.observation)] : []),
  ]);
  if (inPlace.reduce((sum, bytes) => sum + bytes, 0) <= limits.turnBytes) return { reply, steps };
  const share = Math.max(limits.inlineBytes, Math.floor(limits.turnBytes / inPlace.length));
  return { reply, steps: steps.map((step) => ({ ...step, entry: cutStep(step, share) })) };
}

/**
 * Makes the transcript entries of a turn. An observation that a call has recorded becomes a reference, unless it is small or fits into
 * `budget` bytes.
 */
export function deltaEntries({ reply, steps }: Turn, budget = 0): Entry[] {
  let left = budget;
  const entries = steps.map(({ entry, result }) => {
    if (result === undefined) return entry;
    const bytes = jsonBytes(entry);
    const inPlace = bytes <= left || jsonBytes(entry.observation) <= limits.inlineBytes;
    if (inPlace) left -= bytes;
    return inPlace ? entry : { ...entry, observation: null, ref: result };
  });
  return reply === undefined ? entries : [reply, ...entries];
}

/** Makes the transcript entries of a turn, with every observation and no references. */
export function fullEntries({ reply, steps }: Turn): Entry[] {
  const entries = steps.map(({ entry }) => entry);
  return reply === undefined ? entries : [reply, ...entries];
}

function cutStep({ entry, result }: Step, bytes: number): StepEntry {
  const { action, observation } = entry;
  return {
    ...entry,
    action: { ...action, toolInput: capOutput(action.toolInput, Infinity, bytes) },
    observation: result === undefined ? capOutput(observation, Infinity, bytes) : observation,
  };
}
