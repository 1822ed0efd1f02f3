import { type Origin, parseActivityId } from '../../agent/calls/calls.ts';
import type { Mark, ResultRef } from '../../agent/transcript/entries.ts';
import {
  EMPTY,
  type Transcript,
  extendTranscript,
  inPlace,
  isAt,
  transcriptAt,
} from '../../agent/transcript/state.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import type { RunRef } from '../read/pages.ts';
import type { Recorded } from '../read/payloads.ts';
import { asCallModelInput, asRunInput } from '../read/records.ts';
import { type RunNames, noNames, withNames } from '../read/run-names.ts';

/** Where transcripts are rebuilt from. */
export interface TranscriptSource {
  /** Recorded values of them are decoded only where they are needed: they may be large. */
  facts(run: RunRef): AsyncIterable<Fact>;
  /** What an entry of `run`'s transcript refers to; `result`: the record of it, where it is at hand. */
  observation(run: RunRef, ref: ResultRef, result?: Recorded): Promise<Json>;
  /** The error to throw when what `run` recorded does not add up. */
  broken(what: string, run: RunRef): Error;
}

/** A transcript with the model call that was shown it; without a call, the one that a run goes on from. */
interface RecordedTranscript {
  transcript: Transcript;
  asked?: { scope: number; call: string; n: number; closing: boolean };
}

/** A scope's transcript when it was as `target` says. Without one: as it began, which its agent is always part of. */
export async function rebuildTranscript(
  source: TranscriptSource,
  run: RunRef,
  scope: number,
  target?: Mark,
): Promise<Transcript> {
  const only = { scope, shallow: target === undefined };
  for await (const { transcript } of readTranscripts(source, source.facts(run), only))
    if (target === undefined || isAt(transcript, target)) return transcript;
  throw source.broken(`run ${run.runId} has no record of entry ${target?.length ?? 0}`, run);
}

/** How a scope stands: without and with what its last model call carried, as that may be scheduled again. */
interface Scope {
  before: Transcript;
  after: Transcript;
  /** Results by run and activity id: those that the last call may refer to, and those since. Older ones are let go. */
  referred: Map<string, Recorded>;
  results: Map<string, Recorded>;
}

/**
 * Goes through the facts, oldest first, of one run or of runs that go on from each other: each model call says how long its
 * scope's transcript was before it, and what it added. `only`: one scope; of another run's record, what was carried along.
 */
export async function* readTranscripts(
  source: TranscriptSource,
  facts: AsyncIterable<Fact> | Iterable<Fact>,
  only: { scope?: number; shallow?: boolean } = {},
): AsyncGenerator<RecordedTranscript> {
  const scopes = new Map<number, Scope>();
  const scheduled = new Map<string, { scope: number; key: string }>();
  let names = noNames;
  for await (const fact of facts) {
    names = withNames(names, fact);
    if (fact.type === 'started') {
      scheduled.clear(); // a new run counts its events anew
      const before = scopes.get(0);
      const origin =
        (only.scope ?? 0) === 0
          ? await originOf(source, fact.workflowId, fact.input, { shallow: only.shallow, before })
          : undefined;
      if (origin !== undefined) {
        scopes.set(0, standingAt(origin));
        yield { transcript: origin };
      }
    }
    if (fact.type === 'succeeded') {
      const done = scheduled.get(fact.key);
      if (done) scopes.get(done.scope)?.results.set(done.key, fact.result);
    }
    if (fact.type !== 'scheduled' || fact.of !== 'activity') continue;
    const id = parseActivityId(fact.workId);
    if (id === undefined || (only.scope ?? id.scope) !== id.scope) continue;
    scheduled.set(fact.key, { scope: id.scope, key: `${names.runId} ${fact.workId}` });
    if (fact.name !== 'callModel') continue;
    const next = await carry(source, names, scopes.get(id.scope) ?? standingAt(EMPTY), fact);
    if (next === undefined) continue;
    scopes.set(id.scope, next.scope);
    // After a rewind the scope stands where it stood long before.
    if (next.isRewound) yield { transcript: next.scope.before };
    yield { transcript: next.scope.after, asked: { ...id, closing: next.closing } };
  }
}

function standingAt(transcript: Transcript): Scope {
  return { before: transcript, after: transcript, referred: new Map(), results: new Map() };
}

/** The scope after one more model call; undefined for what is no call of ours. */
async function carry(
  source: TranscriptSource,
  names: RunNames,
  scope: Scope,
  fact: Extract<Fact, { type: 'scheduled' }>,
): Promise<{ scope: Scope; closing: boolean; isRewound: boolean } | undefined> {
  const input = asCallModelInput(await fact.input());
  if (input === undefined) return undefined;
  const { base, prev, delta, closing, origin } = input;
  const { workflowId, runId } = names;
  const run = { workflowId, runId };
  const mark = { length: base, digest: prev };
  const known = [scope.after, scope.before, EMPTY].find((transcript) => isAt(transcript, mark));
  const before = known ?? (origin && (await rewoundTo(source, run, origin, fact.id)));
  if (before === undefined)
    throw source.broken(`entry ${base} of run ${runId} does not follow on what is recorded`, run);
  const referred = before === scope.after ? scope.results : new Map([...scope.referred, ...scope.results]);
  const after = await extendTranscript(
    before,
    delta,
    (ref) => {
      const recordedBy = names.current(ref.runId);
      const result = referred.get(`${recordedBy} ${ref.activityId}`);
      return source.observation(run, { ...ref, runId: recordedBy }, result);
    },
    run,
  );
  const isRewound = known === undefined;
  return { scope: { before, after, referred, results: new Map() }, closing: closing === true, isRewound };
}

/** The transcript that a run has rewound itself to, out of the record before the event `until`. */
function rewoundTo(
  source: TranscriptSource,
  { workflowId, runId }: RunRef,
  origin: Origin,
  until: number,
): Promise<Transcript> {
  const recorder = { workflowId: origin.workflowId ?? workflowId, runId: origin.runId };
  const facts = (run: RunRef) =>
    run.runId === runId ? eventsBefore(source.facts(run), until) : source.facts(run);
  return rebuildTranscript({ ...source, facts }, recorder, 0, origin);
}

async function* eventsBefore(facts: AsyncIterable<Fact>, id: number): AsyncGenerator<Fact> {
  for await (const fact of facts) {
    if (fact.id >= id) return;
    yield fact;
  }
}

/**
 * What a run that goes on from another starts with: carried in its own input, or read from the other's history. undefined
 * where that has just been read: `before` is how the scope stands.
 */
async function originOf(
  source: TranscriptSource,
  workflowId: string,
  recorded: Recorded,
  { shallow = false, before }: { shallow: boolean | undefined; before: Scope | undefined },
): Promise<Transcript | undefined> {
  const { from, manifest } = asRunInput(await recorded()) ?? {};
  if (from === undefined || manifest === undefined) return undefined;
  const { entries, length, digest } = from;
  const [mark, agent] = [{ length, digest }, { type: 'agent', manifest } as const];
  if (shallow) return transcriptAt(mark, [agent]);
  if (before !== undefined && (isAt(before.after, mark) || isAt(before.before, mark))) return undefined;
  if (length === 0) return EMPTY;
  const origin = { workflowId: from.workflowId ?? workflowId, runId: from.runId };
  if (entries === undefined) return rebuildTranscript(source, origin, 0, mark);
  // Carried along by the run before, and what it says of itself is meant so.
  const carried = await inPlace(entries, (ref) => source.observation(origin, ref), origin);
  return transcriptAt(mark, [agent, ...carried]);
}
