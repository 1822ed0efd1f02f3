import { limits } from '../agent/limits.ts';
import { capOutput } from '../agent/output.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import {
  type Entry,
  type ReplyEntry,
  type ResultRef,
  type StepEntry,
  entryBytes,
} from '../agent/transcript/entries.ts';

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

/** The turn with no more of what is recorded nowhere else than fits: such observations share a bound, beyond which they are cut. */
export function boundedTurn({ reply, steps }: Turn): Turn {
  const unrecorded = steps.filter(({ result }) => result === undefined);
  const bytes = unrecorded.reduce((sum, { entry }) => sum + observationBytes(entry), 0);
  if (bytes <= limits.turnBytes) return { reply, steps };
  const share = Math.max(limits.inlineBytes, Math.floor(limits.turnBytes / unrecorded.length));
  return {
    reply,
    steps: steps.map((step) =>
      step.result === undefined ? { ...step, entry: cutTo(step.entry, share) } : step,
    ),
  };
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
    const inPlace = bytes <= left || observationBytes(entry) <= limits.inlineBytes;
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

function cutTo(entry: StepEntry, bytes: number): StepEntry {
  if (observationBytes(entry) <= bytes) return entry;
  return { ...entry, observation: capOutput(entry.observation, Infinity, bytes) };
}

function observationBytes({ observation }: StepEntry): number {
  return utf8Length(JSON.stringify(observation));
}
