import { type CallModelInput, type Origin, parseActivityId } from '../../agent/calls/calls.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { type Mark, type ResultRef, agentOf } from '../../agent/transcript/entries.ts';
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
import { asCallModelInput } from '../read/records.ts';
import { type RunNames, noNames, withNames } from '../read/run-names.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

/** Reads the records from which transcripts are rebuilt. */
export interface TranscriptSource {
  /** Reads the facts of a run. Their values are decoded only if they are needed. */
  facts(run: RunRef): AsyncIterable<Fact>;
  /** Reads the observation that an entry of `run`'s transcript refers to. `result`: its record, if that was read already. */
  observation(run: RunRef, ref: ResultRef, result?: Recorded): Promise<Json>;
  /** Makes the error for an inconsistent record of `run`. */
  broken(problem: string, run: RunRef): Error;
}

type CallPurpose = Pick<CallModelInput, 'closing' | 'compact'>;

/** The transcript of a model call. Without `modelCall`: the transcript that a run continues from. */
interface RecordedTranscript {
  transcript: Transcript;
  modelCall?: { scope: number; call: string; n: number } & CallPurpose;
}

/** Rebuilds a scope's transcript at `target`. */
export async function rebuildTranscript(
  source: TranscriptSource,
  run: RunRef,
  scope: number,
  target: Mark,
): Promise<Transcript> {
  const next = transcriptReader(source, { scope });
  for await (const fact of source.facts(run)) {
    for (const { transcript } of await next(fact)) if (isAt(transcript, target)) return transcript;
  }
  throw source.broken(`run ${run.runId} has no record of entry ${target.length}`, run);
}

/** Reads the first agent of a scope that is asked for. Each execution starts with its agent. */
export async function rebuildAgent(
  source: TranscriptSource,
  run: RunRef,
  scope: number,
  isAsked: (manifest: AgentManifest) => boolean,
): Promise<AgentManifest> {
  const next = transcriptReader(source, { scope, shallow: true });
  for await (const fact of source.facts(run)) {
    for (const { transcript } of await next(fact)) {
      const agent = agentOf(transcript.entries);
      if (agent !== undefined && isAsked(agent.manifest)) return agent.manifest;
    }
  }
  throw source.broken(`run ${run.runId} has no record of the agent of scope ${scope}`, run);
}

/** Transcript of a scope before and after its last model call. The call may be scheduled again, so both are kept. */
interface Scope {
  before: Transcript;
  after: Transcript;
  /** Results by run and activity id: `referred`, results that the last model call may refer to; `results`, newer results. */
  referred: Map<string, Recorded>;
  results: Map<string, Recorded>;
}

/**
 * Rebuilds the transcript of every model call. The returned function takes all facts, oldest first, of one run or of runs that continue
 * each other. Each model call records the length and digest of the transcript before it, and the new entries. `only.scope`: one scope
 * only. `only.shallow`: does not read the run that this run continues.
 */
export function transcriptReader(
  source: TranscriptSource,
  only: { scope?: number; shallow?: boolean } = {},
): (fact: Fact) => Promise<RecordedTranscript[]> {
  const scopes = new Map<number, Scope>();
  const scheduled = new Map<string, { scope: number; key: string }>();
  let names = noNames;
  return async (fact) => {
    const found: RecordedTranscript[] = [];
    names = withNames(names, fact);
    if (fact.type === 'started') {
      scheduled.clear(); // each run numbers its events from 1
      const before = scopes.get(0);
      const origin =
        (only.scope ?? 0) === 0
          ? await originOf(source, fact.workflowId, fact.input, { shallow: only.shallow, before })
          : undefined;
      if (origin !== undefined) {
        scopes.set(0, scopeAt(origin));
        found.push({ transcript: origin });
      }
    }
    if (fact.type === 'succeeded') {
      const done = scheduled.get(fact.key);
      if (done) scopes.get(done.scope)?.results.set(done.key, fact.result);
    }
    if (fact.type !== 'scheduled' || fact.of !== 'activity') return found;
    const id = parseActivityId(fact.workId);
    if (id === undefined || (only.scope ?? id.scope) !== id.scope) return found;
    scheduled.set(fact.key, { scope: id.scope, key: `${names.runId} ${fact.workId}` });
    if (fact.name !== 'callModel') return found;
    const next = await addModelCall(source, names, scopes.get(id.scope) ?? scopeAt(EMPTY), fact);
    if (next === undefined) return found;
    scopes.set(id.scope, next.scope);
    // The run has rewound itself: the scope is back at an earlier transcript.
    if (next.isRewound) found.push({ transcript: next.scope.before });
    return [...found, { transcript: next.scope.after, modelCall: { ...id, ...next.purpose } }];
  };
}

function scopeAt(transcript: Transcript): Scope {
  return { before: transcript, after: transcript, referred: new Map(), results: new Map() };
}

/** Adds one model call to a scope; undefined: the activity's input is not of a model call. */
async function addModelCall(
  source: TranscriptSource,
  names: RunNames,
  scope: Scope,
  fact: Extract<Fact, { type: 'scheduled' }>,
): Promise<{ scope: Scope; purpose: CallPurpose; isRewound: boolean } | undefined> {
  const input = asCallModelInput(await fact.input());
  if (input === undefined) return undefined;
  const { base, prev, delta, closing, compact, origin } = input;
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
  return { scope: { before, after, referred, results: new Map() }, purpose: { closing, compact }, isRewound };
}

/** Rebuilds the transcript that a run has rewound itself to, from its record before the event `until`. */
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
 * Reads the transcript that a run starts with if it continues another run: from its input, or from the other run's history. undefined:
 * the run does not continue another run, or the caller has read that run, with the scope `before`.
 */
async function originOf(
  source: TranscriptSource,
  workflowId: string,
  recorded: Recorded,
  { shallow = false, before }: { shallow: boolean | undefined; before: Scope | undefined },
): Promise<Transcript | undefined> {
  const { from, manifest } = asRunInput(await recorded()) ?? {};
  if (from === undefined || manifest === undefined) return undefined;
  const { entries, length, digest, models } = from;
  const [mark, agent] = [{ length, digest }, { type: 'agent', manifest, models } as const];
  if (shallow) return transcriptAt(mark, [agent]);
  if (before !== undefined && (isAt(before.after, mark) || isAt(before.before, mark))) return undefined;
  if (length === 0) return EMPTY;
  const origin = { workflowId: from.workflowId ?? workflowId, runId: from.runId };
  if (entries === undefined) return rebuildTranscript(source, origin, 0, mark);
  // References in carried entries without a run id mean the run that is continued.
  const carried = await inPlace(entries, (ref) => source.observation(origin, ref), origin);
  return transcriptAt(mark, [agent, ...carried]);
}
