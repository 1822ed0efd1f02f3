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

/**
 * A turn's entries as they travel on: an observation that is a call's recorded result is referred to, not recorded twice,
 * unless it is small or fits into `budget` bytes. What has to be in place shares a bound, beyond which it is cut.
 */
export function deltaEntries({ reply, steps }: Turn, budget = 0): Entry[] {
  let left = budget;
  const share = shareOf(steps);
  const entries = steps.map(({ entry, result }) => {
    if (result === undefined) return cutTo(entry, share);
    const bytes = entryBytes(entry);
    const inPlace = bytes <= left || observationBytes(entry) <= limits.inlineBytes;
    if (inPlace) left -= bytes;
    return inPlace ? entry : { ...entry, observation: null, ref: result };
  });
  return reply === undefined ? entries : [reply, ...entries];
}

/** The same with every observation in place. */
export function fullEntries({ reply, steps }: Turn): Entry[] {
  const share = shareOf(steps);
  const entries = steps.map(({ entry, result }) => (result === undefined ? cutTo(entry, share) : entry));
  return reply === undefined ? entries : [reply, ...entries];
}

/** Bytes that each observation without a record of its own may have. */
function shareOf(steps: readonly Step[]): number {
  const unrecorded = steps.filter(({ result }) => result === undefined);
  const bytes = unrecorded.reduce((sum, { entry }) => sum + observationBytes(entry), 0);
  if (bytes <= limits.turnBytes) return Infinity;
  return Math.max(limits.inlineBytes, Math.floor(limits.turnBytes / unrecorded.length));
}

function cutTo(entry: StepEntry, bytes: number): StepEntry {
  if (observationBytes(entry) <= bytes) return entry;
  return { ...entry, observation: capOutput(entry.observation, Infinity, bytes) };
}

function observationBytes({ observation }: StepEntry): number {
  return utf8Length(JSON.stringify(observation));
}
