import { type CallModelInput, type Origin, parseActivityId } from '../agent/calls.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { EMPTY, type Transcript, extendTranscript, isAt, transcriptAt } from '../agent/transcript/state.ts';
import type { Entry, Mark, ResultRef } from '../agent/transcript/entries.ts';
import type { Json } from '../agent/vocabulary.ts';

export interface RunRef {
  workflowId: string;
  runId: string;
}

/** What is looked at of an event, by the names it has in a history. `P`: a value as it is recorded. */
interface RecordedEvent<P> {
  eventId?: unknown;
  workflowExecutionStartedEventAttributes?: { originalExecutionRunId?: string | null; input?: P } | null;
  activityTaskScheduledEventAttributes?: {
    activityId?: string | null;
    activityType?: { name?: string | null } | null;
    input?: P;
  } | null;
  activityTaskCompletedEventAttributes?: { scheduledEventId?: unknown; result?: P } | null;
}

/** Where transcripts are rebuilt from. */
export interface TranscriptSource<P> {
  history(run: RunRef): AsyncIterable<RecordedEvent<P>>;
  /** Called only for what is needed: what is recorded may be large. */
  decode(recorded: P | undefined): Promise<unknown>;
  /** What an entry of `run`'s transcript refers to; `recorded`: the result itself, where it is at hand. */
  observation(run: RunRef, ref: ResultRef, recorded?: P): Promise<Json>;
  /** The error to throw when what `run` recorded does not add up. */
  broken(what: string, run: RunRef): Error;
}

/** A transcript with the model call that was shown it; without a call, the one that a run goes on from. */
interface RecordedTranscript {
  transcript: Transcript;
  asked?: { scope: number; call: string; n: number; closing: boolean };
}

/** A scope's transcript when it was as `target` says. Without one: as it began, which its agent is always part of. */
export async function rebuildTranscript<P>(
  source: TranscriptSource<P>,
  run: RunRef,
  scope: number,
  target?: Mark,
): Promise<Transcript> {
  const only = { scope, shallow: target === undefined };
  for await (const { transcript } of readTranscripts(source, run.workflowId, source.history(run), only))
    if (target === undefined || isAt(transcript, target)) return transcript;
  throw source.broken(`run ${run.runId} has no record of entry ${target?.length ?? 0}`, run);
}

/** How a scope stands: without and with what its last model call carried, as that may be scheduled again. */
interface Scope<P> {
  before: Transcript;
  after: Transcript;
  /** Results by run and activity id: those that the last call may refer to, and those since. Older ones are let go. */
  referred: Map<string, P | undefined>;
  results: Map<string, P | undefined>;
}

/**
 * Reads events, oldest first, of one run or of runs that go on from each other: each model call says how long its scope's
 * transcript was before it, and what it added. `only`: one scope; of another run's record, what was carried along.
 */
export async function* readTranscripts<P>(
  source: TranscriptSource<P>,
  workflowId: string,
  events: AsyncIterable<RecordedEvent<P>>,
  only: { scope?: number; shallow?: boolean } = {},
): AsyncGenerator<RecordedTranscript> {
  const scopes = new Map<number, Scope<P>>();
  const scheduled = new Map<string, { scope: number; key: string }>();
  let runId = '';
  for await (const event of events) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      runId = started.originalExecutionRunId ?? '';
      scheduled.clear(); // a new run counts its events anew
      const isNew = (only.scope ?? 0) === 0 && !scopes.has(0);
      const origin = isNew ? await originOf(source, workflowId, started.input, only.shallow) : undefined;
      if (origin !== undefined) {
        scopes.set(0, standingAt(origin));
        yield { transcript: origin };
      }
    }

    const completed = event.activityTaskCompletedEventAttributes;
    const done = scheduled.get(String(completed?.scheduledEventId));
    if (completed && done) scopes.get(done.scope)?.results.set(done.key, completed.result);

    const schedule = event.activityTaskScheduledEventAttributes;
    const id = parseActivityId(schedule?.activityId ?? '');
    if (!schedule || id === undefined || (only.scope ?? id.scope) !== id.scope) continue;
    scheduled.set(String(event.eventId), { scope: id.scope, key: `${runId} ${schedule.activityId}` });
    if (schedule.activityType?.name !== 'callModel') continue;

    const input = (await source.decode(schedule.input)) as CallModelInput; // written by plan() in workflows/
    const scope = scopes.get(id.scope) ?? standingAt<P>(EMPTY);
    const next = await carry(source, { workflowId, runId }, scope, input);
    scopes.set(id.scope, next);
    yield { transcript: next.after, asked: { ...id, closing: input.closing === true } };
  }
}

function standingAt<P>(transcript: Transcript): Scope<P> {
  return { before: transcript, after: transcript, referred: new Map(), results: new Map() };
}

async function carry<P>(
  source: TranscriptSource<P>,
  run: RunRef,
  scope: Scope<P>,
  { base, prev, delta }: CallModelInput,
): Promise<Scope<P>> {
  const mark = { length: base, digest: prev };
  const before = [scope.after, scope.before, EMPTY].find((transcript) => isAt(transcript, mark));
  if (before === undefined)
    throw source.broken(`entry ${base} of run ${run.runId} does not follow on what is recorded`, run);
  const referred = before === scope.after ? scope.results : new Map([...scope.referred, ...scope.results]);
  const after = await extendTranscript(before, delta, (ref) =>
    source.observation(run, ref, referred.get(`${ref.runId} ${ref.activityId}`)),
  );
  return { before, after, referred, results: new Map() };
}

/** What a run that goes on from another starts with: carried in its own input, or read from the other's history. */
async function originOf<P>(
  source: TranscriptSource<P>,
  workflowId: string,
  recorded: P | undefined,
  shallow = false,
): Promise<Transcript | undefined> {
  const { from, manifest } = ((await source.decode(recorded)) ?? {}) as {
    from?: Origin & { entries?: Entry[] };
    manifest?: AgentManifest;
  }; // agentRun's input; a workflow of the user's has neither field
  if (typeof from?.digest !== 'string' || manifest === undefined) return undefined;
  const { entries, length, digest } = from;
  const mark = { length, digest };
  if (entries === undefined && !shallow) {
    const origin = { workflowId: from.workflowId ?? workflowId, runId: from.runId };
    return rebuildTranscript(source, origin, 0, mark);
  }
  return transcriptAt(mark, [{ type: 'agent', manifest }, ...(entries ?? [])]);
}
