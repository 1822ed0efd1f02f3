import { ApplicationFailure, type Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import { type CallModelInput, type Origin, parseActivityId } from '../agent/calls.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { type Entry, type Mark, START, advance, entryBytes, visible } from '../agent/transcript.ts';
import { type Payloads, type RunRef, decodeFirst, isNotFound, readHistory } from './history.ts';
import type { Observations, RecordedResults } from './observations.ts';

/**
 * A transcript as far as it is needed: how long it is, what it says by digest, and of its entries those the model still
 * sees. Immutable; a longer one is a new one.
 */
export interface Transcript {
  mark: Mark;
  entries: readonly Entry[];
  bytes: number;
}

/** The worker's transcripts. Only a cache: each can be rebuilt from history by any worker. */
export interface Transcripts {
  /** What a model call speaks of: all before it, and its own delta. */
  open(context: Context, input: CallModelInput): Promise<Transcript>;
  /** The agent of the scope that an activity belongs to. */
  manifest(context: Context, scope: number): Promise<AgentManifest>;
}

/** Where transcripts are rebuilt from. */
interface Source {
  client: Client;
  observations: Observations;
}

const EMPTY: Transcript = { mark: START, entries: [], bytes: 0 };

/** `maxBytes` bounds the cache; least recently used transcripts go first. */
export function createTranscripts(maxBytes: number, observations: Observations): Transcripts {
  // Two transcripts a scope: an attempt whose result got lost is asked again from where the first one started.
  const cache = new LRUCache<string, { before: Transcript; after: Transcript }>({
    maxSize: maxBytes,
    sizeCalculation: ({ after }) => Math.max(1, after.bytes),
  });

  const cached = (runId: string, scope: number, mark: Mark): Transcript | undefined => {
    const found = cache.get(`${runId}/${scope}`);
    return [found?.after, found?.before].find(
      (transcript) => transcript !== undefined && same(transcript.mark, mark),
    );
  };

  return {
    async open(context, input) {
      const run = runOf(context);
      const mark = { length: input.base, digest: input.prev };
      const before =
        (input.base === 0 ? EMPTY : undefined) ??
        cached(run.runId, input.scope, mark) ??
        (input.origin === undefined ? undefined : cached(input.origin.runId, 0, mark)) ??
        (await rebuild({ client: context.client, observations }, run, input.scope, mark));
      const after = await append({ client: context.client, observations }, run, before, input.delta);
      cache.set(`${run.runId}/${input.scope}`, { before, after });
      return after;
    },

    async manifest(context, scope) {
      const run = runOf(context);
      const found = cache.get(`${run.runId}/${scope}`)?.after;
      const { entries } =
        found ?? (await rebuild({ client: context.client, observations }, run, scope, undefined));
      const [agent] = entries;
      if (agent?.type !== 'agent')
        throw corrupt(`scope ${scope} of run ${run.runId} begins without an agent`);
      return agent.manifest;
    },
  };
}

/**
 * Reads a scope's model calls from history, oldest first: each says how long the transcript was before it, and what it
 * added. Ends at `target`, or without one at the first call.
 */
async function rebuild(
  source: Source,
  run: RunRef,
  scope: number,
  target: Mark | undefined,
): Promise<Transcript> {
  const { client } = source;
  const steps: Transcript[] = [];
  const activities = new Map<string, string>();
  const recorded = new Map<string, Payloads>();
  for await (const event of historyOf(client, run)) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started?.input && scope === 0) {
      const origin = await originOf(source, run, await decodeFirst(client, started.input), target);
      if (origin !== undefined) steps.push(origin);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const done = activities.get(String(completed?.scheduledEventId));
    if (completed && done !== undefined) recorded.set(done, completed.result);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) activities.set(String(event.eventId), scheduled.activityId ?? '');
    const id = parseActivityId(scheduled?.activityId ?? '');
    if (
      scheduled?.activityType?.name === 'callModel' &&
      id?.scope === scope &&
      latest(steps, target) === undefined
    ) {
      // Written by plan() in workflows/.
      const { base, prev, delta } = (await decodeFirst(client, scheduled.input)) as CallModelInput;
      const before = base === 0 ? EMPTY : latest(steps, { length: base, digest: prev });
      if (before === undefined)
        throw corrupt(`entry ${base} of run ${run.runId} does not follow on what is recorded`);
      steps.push(await append(source, run, before, delta, recorded));
    }
    const found = target === undefined ? steps[0] : latest(steps, target);
    if (found !== undefined) return found;
  }
  throw corrupt(`run ${run.runId} has no record of entry ${target?.length ?? 0}`);
}

function latest(steps: Transcript[], mark: Mark | undefined): Transcript | undefined {
  return mark === undefined ? undefined : steps.findLast((step) => same(step.mark, mark));
}

/** What a run that goes on from another starts with: carried in its own input, or read from the other's history. */
async function originOf(
  source: Source,
  run: RunRef,
  input: unknown,
  target: Mark | undefined,
): Promise<Transcript | undefined> {
  const { from, manifest } = (input ?? {}) as {
    from?: Origin & { entries?: Entry[] };
    manifest?: AgentManifest;
  }; // agentRun's input; a workflow of the user's has neither field
  if (typeof from?.digest !== 'string' || manifest === undefined) return undefined;
  const { entries, length, digest } = from;
  const mark = { length, digest };
  if (entries !== undefined || target === undefined) {
    const carried: Entry[] = [{ type: 'agent', manifest }, ...(entries ?? [])];
    return { mark, entries: carried, bytes: carried.reduce((sum, entry) => sum + entryBytes(entry), 0) };
  }
  return rebuild(source, { workflowId: from.workflowId ?? run.workflowId, runId: from.runId }, 0, mark);
}

async function append(
  { client, observations }: Source,
  run: RunRef,
  before: Transcript,
  delta: Entry[],
  recorded?: RecordedResults,
): Promise<Transcript> {
  const added = await observations.fill(client, run, delta, recorded);
  const all = [...before.entries, ...added];
  const [agent] = all;
  const trim = agent?.type === 'agent' ? agent.manifest.trimIntermediateSteps : 0;
  const entries = visible(all, trim, (entry) => entry);
  const dropped = entries.length < all.length;
  const grown = before.bytes + added.reduce((sum, entry) => sum + entryBytes(entry), 0);
  const bytes = dropped ? entries.reduce((sum, entry) => sum + entryBytes(entry), 0) : grown;
  return { mark: advance(before.mark, delta), entries, bytes };
}

async function* historyOf(client: Client, run: RunRef) {
  try {
    yield* readHistory(client, run);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw ApplicationFailure.create({
      type: 'TranscriptGone',
      message: `Run ${run.runId}, where this run's transcript begins, is past the namespace's retention. Start a new run.`,
      nonRetryable: true,
    });
  }
}

function runOf({ info }: Context): RunRef {
  if (info.workflowExecution === undefined) throw new Error('This activity belongs to a workflow.');
  return info.workflowExecution;
}

function same(a: Mark, b: Mark): boolean {
  return a.length === b.length && a.digest === b.digest;
}

function corrupt(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'TranscriptCorrupt',
    message: `The recorded transcript does not add up: ${what}. Nothing was guessed; the run's history is untouched.`,
    nonRetryable: true,
  });
}
