import type { CallModelInput, Origin } from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import {
  type Entry,
  type Mark,
  START,
  withRunId,
  advance,
  entryBytes,
  visible,
} from '../../agent/transcript/entries.ts';
import type { AgentRunInput } from '../messages.ts';

/**
 * The workflow's side of the transcript: how much was carried, what is new, never the whole. `recent` is what the model
 * still sees, kept while it is small enough to go along over continue-as-new.
 */
export interface TranscriptWriter {
  scope: number;
  trim: number;
  carried: Mark;
  pending: Entry[];
  origin: Origin | undefined;
  recent: { entry: Entry; bytes: number; carried: boolean }[] | undefined;
}

/** The transcript of a run at its start: new, or where the run that it goes on from has left it. */
export function openTranscript(
  { question = { input: '', chatHistory: [] }, from, pending = [], manifest: before }: AgentRunInput,
  manifest: AgentManifest,
  scope: number,
): TranscriptWriter {
  const trim = manifest.trimIntermediateSteps;
  const isOtherModel = before !== undefined && before !== manifest;
  if (from === undefined) {
    return newTranscript(scope, trim, [
      { type: 'agent', manifest },
      { type: 'question', ...question },
    ]);
  }
  const { entries, ...origin } = from;
  const transcript = continuedTranscript(scope, trim, origin, entries);
  // The model that a fork has in place of the one that the transcript begins with.
  append(transcript, isOtherModel ? [...pending, { type: 'agent', manifest }] : pending);
  return transcript;
}

export function newTranscript(scope: number, trim: number, entries: Entry[]): TranscriptWriter {
  const transcript = { scope, trim, carried: START, pending: [], origin: undefined, recent: [] };
  append(transcript, entries);
  return transcript;
}

/** Goes on where another run's transcript ends; `recent` is what of it was carried along. */
export function continuedTranscript(
  scope: number,
  trim: number,
  origin: Origin,
  recent: Entry[] | undefined,
): TranscriptWriter {
  return {
    scope,
    trim,
    carried: { length: origin.length, digest: origin.digest },
    pending: [],
    origin,
    recent: recent?.map((entry) => ({ entry, bytes: entryBytes(entry), carried: true })),
  };
}

/** `full` is the same with every observation in place, where `entries` may refer to it. */
export function append(transcript: TranscriptWriter, entries: Entry[], full: Entry[] = entries): void {
  transcript.pending.push(...entries);
  // A reference would go along as if it were the observation.
  if (full.some((entry) => entry.type === 'step' && entry.ref !== undefined)) transcript.recent = undefined;
  if (transcript.recent === undefined) return;
  const added = full.map((entry) => ({ entry, bytes: entryBytes(entry), carried: false }));
  const recent = visible([...transcript.recent, ...added], transcript.trim, (item) => item.entry);
  transcript.recent = sum(recent.map(({ bytes }) => bytes)) <= limits.carriedBytes ? recent : undefined;
}

/** The input of the next model call. The same again, should that call fail: only {@link delivered} moves on. */
export function nextCall(transcript: TranscriptWriter): CallModelInput {
  const { scope, carried, pending, origin } = transcript;
  const input = { scope, base: carried.length, prev: carried.digest, delta: [...pending] };
  return origin === undefined ? input : { ...input, origin };
}

/**
 * The call has a result: what it carried is recorded and need not be carried again. `digest` is what the transcript says
 * now, by the activity's word: built again here it could differ from what was recorded. Old histories have none.
 */
export function delivered(transcript: TranscriptWriter, digest: string | undefined): void {
  const { carried, pending } = transcript;
  transcript.carried =
    digest === undefined ? advance(carried, pending) : { length: carried.length + pending.length, digest };
  transcript.pending = [];
  transcript.origin = undefined;
  for (const item of transcript.recent ?? []) item.carried = true;
}

/** Where a new run finds this transcript, with what of it fits into a payload beside the `pending` entries. */
export function handOver(
  transcript: TranscriptWriter,
  runId: string,
  pending: readonly Entry[] = [],
): Origin & { entries?: Entry[] } {
  const origin = transcript.origin ?? { runId, ...transcript.carried };
  const along = transcript.recent?.filter(({ entry, carried }) => carried && entry.type !== 'agent');
  const room = limits.carriedBytes + limits.handOverBytes - sum(pending.map(entryBytes));
  if (along === undefined || sum(along.map(({ bytes }) => bytes)) > room) return origin;
  return {
    ...origin,
    entries: withRunId(
      along.map(({ entry }) => entry),
      runId,
    ),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
