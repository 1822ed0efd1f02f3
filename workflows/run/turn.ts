import { limits } from '../../agent/values/limits.ts';
import { capOutput } from '../../agent/observation/output.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import {
  type Entry,
  type ReplyEntry,
  type ResultRef,
  type StepEntry,
  entryBytes,
} from '../../agent/transcript/entries.ts';

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
  fromTool: boolean;
}

/**
 * Bounds what a turn carries in place: observations that no call has recorded, and inputs, of which a person may give many. Beyond
 * the bound each of them is cut to an equal share.
 */
export function boundedTurn({ reply, steps }: Turn): Turn {
  const inPlace = steps.flatMap(({ entry, result }) => [
    valueBytes(entry.action.toolInput),
    ...(result === undefined ? [valueBytes(entry.observation)] : []),
  ]);
  if (inPlace.reduce((sum, bytes) => sum + bytes, 0) <= limits.turnBytes) return { reply, steps };
  const share = Math.max(limits.inlineBytes, Math.floor(limits.turnBytes / inPlace.length));
  return { reply, steps: steps.map((step) => ({ ...step, entry: cutStep(step, share) })) };
}

/**
 * A turn's entries as they travel on: an observation that is a call's recorded result is referred to, not recorded twice,
 * unless it is small or fits into `budget` bytes.
 */
export function deltaEntries({ reply, steps }: Turn, budget = 0): Entry[] {
  let left = budget;
  const entries = steps.map(({ entry, result }) => {
    if (result === undefined) return entry;
    const bytes = entryBytes(entry);
    const inPlace = bytes <= left || valueBytes(entry.observation) <= limits.inlineBytes;
    if (inPlace) left -= bytes;
    return inPlace ? entry : { ...entry, observation: null, ref: result };
  });
  return reply === undefined ? entries : [reply, ...entries];
}

/** The same with every observation in place. */
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

function valueBytes(value: Json): number {
  return utf8Length(JSON.stringify(value));
}
