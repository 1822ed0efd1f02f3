import type { CallModelInput, Origin } from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import { sum } from '../../agent/values/values.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import {
  type Entry,
  type Mark,
  START,
  isReference,
  modelKeysOf,
  withRunId,
} from '../../agent/transcript/entries.ts';
import { visible } from '../../agent/transcript/visible.ts';
import type { AgentRunInput, CarriedTranscript } from '../../agent/run/run-input.ts';
import { jsonBytes } from '../../agent/values/digest.ts';

/**
 * The workflow's part of the transcript: the length and digest of the carried entries, and the pending entries. `recent`: entries that
 * the model still sees; undefined once they are larger than `recentBytes`: too large to carry through continue-as-new. `models`: keys of
 * the models of all agents so far.
 */
export interface TranscriptWriter {
  scope: number;
  trim: number;
  recentBytes: number;
  carried: Mark;
  pending: Entry[];
  origin: Origin | undefined;
  recent: { entry: Entry; bytes: number; carried: boolean }[] | undefined;
  models: string[];
}

/** Opens the transcript of a run at its start: a new transcript, or the transcript of the run that it continues. */
export function openTranscript(
  { question = { input: '', chatHistory: [] }, from, pending = [], manifest: before }: AgentRunInput,
  manifest: AgentManifest,
  scope: number,
): TranscriptWriter {
  const trim = manifest.trimIntermediateSteps;
  const recentBytes = manifest.compaction === undefined ? limits.carriedBytes : limits.compactedBytes;
  const isOtherModel = before !== undefined && before !== manifest;
  if (from === undefined) {
    const begin: Entry[] = [
      { type: 'agent', manifest },
      { type: 'question', ...question },
    ];
    return newTranscript(scope, trim, begin, recentBytes);
  }
  const {
    entries,
    models = modelKeysOf([{ type: 'agent', manifest: before ?? manifest }]),
    ...origin
  } = from;
  const transcript = { ...continuedTranscript(scope, trim, origin, entries, recentBytes), models };
  // A fork may have another model than the agent at the beginning of the transcript.
  append(transcript, isOtherModel ? [...pending, { type: 'agent', manifest }] : pending);
  return transcript;
}

export function newTranscript(
  scope: number,
  trim: number,
  entries: Entry[],
  recentBytes: number = limits.carriedBytes,
): TranscriptWriter {
  const transcript: TranscriptWriter = {
    scope,
    trim,
    recentBytes,
    carried: START,
    pending: [],
    origin: undefined,
    recent: [],
    models: [],
  };
  append(transcript, entries);
  return transcript;
}

/** Continues another run's transcript. `recent`: its entries that the run's input carried. */
export function continuedTranscript(
  scope: number,
  trim: number,
  origin: Origin,
  recent: Entry[] | undefined,
  recentBytes: number = limits.carriedBytes,
): TranscriptWriter {
  return {
    scope,
    trim,
    recentBytes,
    carried: { length: origin.length, digest: origin.digest },
    pending: [],
    origin,
    recent: recent?.map((entry) => ({ entry, bytes: jsonBytes(entry), carried: true })),
    models: [],
  };
}

/** Adds pending entries. `full`: the same entries with observations instead of references. */
export function append(transcript: TranscriptWriter, entries: Entry[], full: Entry[] = entries): void {
  transcript.pending.push(...entries);
  transcript.models = [...new Set([...transcript.models, ...modelKeysOf(entries)])];
  // `recent` has no references: its readers take entries as they are.
  if (full.some(isReference)) transcript.recent = undefined;
  if (transcript.recent === undefined) return;
  const added = full.map((entry) => ({ entry, bytes: jsonBytes(entry), carried: false }));
  const recent = visible([...transcript.recent, ...added], transcript.trim, (item) => item.entry);
  transcript.recent = sum(recent.map(({ bytes }) => bytes)) <= transcript.recentBytes ? recent : undefined;
}

/** Makes the input of the next model call. Returns the same input until {@link delivered} is called, so a failed call repeats it. */
export function modelCallInput(transcript: TranscriptWriter): CallModelInput {
  const { scope, carried, pending, origin } = transcript;
  const input = { scope, base: carried.length, prev: carried.digest, delta: [...pending] };
  return origin === undefined ? input : { ...input, origin };
}

/**
 * Moves the pending entries to the carried ones: the model call has a result, so they are recorded. `digest`: the transcript's digest that
 * the activity computed from the recorded entries.
 */
export function delivered(transcript: TranscriptWriter, digest: string): void {
  const { carried, pending } = transcript;
  transcript.carried = { length: carried.length + pending.length, digest };
  transcript.pending = [];
  transcript.origin = undefined;
  for (const item of transcript.recent ?? []) item.carried = true;
}

/** Makes the reference by which a new run continues this transcript, with recent entries if they fit beside `pending`. */
export function handOver(
  transcript: TranscriptWriter,
  runId: string,
  pending: readonly Entry[] = [],
): CarriedTranscript {
  const { carried, models } = transcript;
  const origin = {
    ...(transcript.origin ?? { runId, ...carried }),
    ...(models.length > 1 ? { models } : {}),
  };
  const recent = transcript.recent?.filter((item) => item.carried && item.entry.type !== 'agent');
  const room = limits.carriedBytes + limits.handOverBytes - sum(pending.map(jsonBytes));
  if (recent === undefined || sum(recent.map(({ bytes }) => bytes)) > room) return origin;
  return {
    ...origin,
    entries: withRunId(
      recent.map(({ entry }) => entry),
      runId,
    ),
  };
}
