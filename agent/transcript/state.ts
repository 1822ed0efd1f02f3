import {
  type Entry,
  type Mark,
  type ResultRef,
  START,
  advance,
  agentOf,
  isReference,
  modelKeysOf,
} from './entries.ts';
import { visible } from './visible.ts';
import type { MediaRef } from '../values/content.ts';
import { qualifyMediaRefs } from '../start/media-refs.ts';
import type { Json } from '../values/vocabulary.ts';
import { jsonBytes } from '../values/digest.ts';

/**
 * The needed part of a transcript: its length, its digest, and the entries that the model still sees. Immutable;
 * extending it makes a new one.
 */
export interface Transcript {
  mark: Mark;
  entries: readonly Entry[];
  bytes: number;
}

export const EMPTY: Transcript = { mark: START, entries: [], bytes: 0 };

export function transcriptAt(mark: Mark, entries: readonly Entry[]): Transcript {
  return { mark, entries, bytes: sizeOf(entries) };
}

/** Finds the observation that a step refers to. */
export type FindObservation = (ref: ResultRef) => Promise<Json>;

/** The run whose record has the entries. */
export type RecordedBy = Required<Pick<MediaRef, 'workflowId' | 'runId'>>;

/** Appends `delta`, with every observation in place; drops entries that the model no longer sees. */
export async function extendTranscript(
  before: Transcript,
  delta: readonly Entry[],
  find: FindObservation,
  run: RecordedBy,
): Promise<Transcript> {
  const added = await inPlace(delta, find, run);
  const all = [...before.entries, ...added];
  const trim = agentOf(all)?.manifest.trimIntermediateSteps ?? 0;
  const shown = visible(all, trim, (entry) => entry);
  const bytes = before.bytes + sizeOf(added) - sizeOf(dropped(all, shown));
  return { mark: advance(before.mark, delta), entries: withModelsOf(all, shown), bytes };
}

/** The entries that are shown, of which the first agent names the models of agents that are not. */
function withModelsOf(all: readonly Entry[], shown: readonly Entry[]): readonly Entry[] {
  if (shown.length === all.length) return shown;
  const models = modelKeysOf(all);
  if (models.length === modelKeysOf(shown).length) return shown;
  const [first, ...rest] = shown;
  return first?.type === 'agent' ? [{ ...first, models }, ...rest] : shown;
}

/** Entries of the first list that the second does not have. */
function dropped(all: readonly Entry[], kept: readonly Entry[]): Entry[] {
  if (kept.length === all.length) return [];
  const stays = new Set(kept);
  return all.filter((entry) => !stays.has(entry));
}

/**
 * The entries with every observation that is only referred to in its place. Images stay where they are: a transcript is read
 * in other runs too, so each reference says whose record has it.
 */
export function inPlace(
  entries: readonly Entry[],
  find: FindObservation,
  { workflowId, runId }: RecordedBy,
): Promise<Entry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      if (entry.type === 'question')
        return { ...entry, input: qualifyMediaRefs(entry.input, { workflowId, runId }) };
      return isReference(entry) ? { ...entry, observation: await find(entry.ref) } : entry;
    }),
  );
}

export function isAt({ mark }: Transcript, { length, digest }: Mark): boolean {
  return mark.length === length && mark.digest === digest;
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + jsonBytes(entry), 0);
}
