import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { type CallModelInput, type ToolResult, parseActivityId } from '../agent/calls.ts';
import type { AgentKind } from '../agent/kind.ts';
import { builtInKinds } from '../agent/kinds.ts';
import { type ModelRequest, renderRequest } from '../agent/request.ts';
import { shortenOldest } from '../agent/shorten.ts';
import { type Entry, conversation } from '../agent/transcript.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Lineage } from '../workflows/messages.ts';
import { InvalidInput } from './errors.ts';
import { type HistoryEvent, type RunRef, decodeFirst, isNotFound, readLineage, readRun } from './history.ts';

/** What the model was asked in one iteration: `call` is `3`, in a later runAgent of one workflow `1/3`. */
export interface AskedRequest {
  call: string;
  /** Counts the times the call was scheduled, from 0. */
  n: number;
  request: ModelRequest;
  /** The request as it was made again when its context was too long for the model (`turn.shortened`). */
  shortened(): ModelRequest;
}

export interface RequestsOptions {
  /** Go on with those to come until the run ends. */
  follow: boolean;
  /** Where agents of kinds beside the built-in ones are found. */
  kinds?: Iterable<AgentKind>;
}

/**
 * The request of every model call of a run, in order, rebuilt from history: calls record only what was new to the
 * model, so the whole is put together again and rendered as the activity did.
 */
export async function* readRequests(
  client: Client,
  run: RunRef,
  { follow, kinds = builtInKinds }: RequestsOptions,
): AsyncGenerator<AskedRequest> {
  const transcripts = createTranscripts(client, run.workflowId);
  const known = [...kinds];
  for await (const event of readLineage(client, run, follow)) {
    const asked = await transcripts.next(event);
    if (asked === undefined) continue;
    const { call, n, entries, closing } = asked;
    const context = conversation(entries, closing);
    const kind = kindOf(known, context.manifest.kind);
    yield {
      call,
      n,
      request: renderRequest(kind, context),
      shortened: () => renderRequest(kind, shortenOldest(context) ?? context),
    };
  }
}

/** A transcript so far: its whole length, and the entries that are known, which are its end. */
interface Transcript {
  length: number;
  entries: Entry[];
}

interface Asked {
  call: string;
  n: number;
  entries: Entry[];
  closing: boolean;
}

/** Reads events in order; returns the whole transcript with each event that is a model call. */
function createTranscripts(client: Client, workflowId: string) {
  const byScope = new Map<number, Transcript>();
  const scheduled = new Map<string, string>();
  /** Results that the next model call may refer to, and observations that were referred to. */
  let results = new Map<string, temporal.api.common.v1.IPayloads | null | undefined>();
  const observations = new Map<string, Json>();
  let runId = '';

  return { next, at: (scope: number) => byScope.get(scope) };

  async function next(event: HistoryEvent): Promise<Asked | undefined> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      runId = started.originalExecutionRunId ?? '';
      await begin((await decodeFirst(client, started.input)) as Lineage | undefined); // agentRun's one argument
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const id = scheduled.get(String(completed?.scheduledEventId));
    if (completed && id !== undefined) results.set(`${runId} ${id}`, completed.result);

    const schedule = event.activityTaskScheduledEventAttributes;
    const parsed = parseActivityId(schedule?.activityId ?? '');
    if (!schedule || parsed === undefined) return undefined;
    if (schedule.activityType?.name !== 'callModel') {
      scheduled.set(String(event.eventId), schedule.activityId ?? '');
      return undefined;
    }
    const { scope, call, n } = parsed;
    const input = (await decodeFirst(client, schedule.input)) as CallModelInput; // written by plan()
    const entries = await extend(input);
    return { call: scope === 0 ? call : `${scope}/${call}`, n, entries, closing: input.closing === true };
  }

  /** A run that goes on from another one, whose end was not read here: carried along, or read from the other. */
  async function begin(lineage: Lineage | undefined): Promise<void> {
    const { from, manifest } = lineage ?? {};
    if (from === undefined || manifest === undefined || byScope.has(0)) return;
    const carried: Entry[] | undefined = from.entries && [{ type: 'agent', manifest }, ...from.entries];
    const entries = carried ?? (await readOrigin(client, { workflowId, ...from }, from.length));
    byScope.set(0, { length: from.length, entries });
  }

  async function extend({ scope, base, delta }: CallModelInput): Promise<Entry[]> {
    const before = byScope.get(scope) ?? { length: 0, entries: [] };
    if (before.length < base) throw gone(runId);
    // A call that is scheduled again carries again what the one before it did.
    const kept = before.entries.slice(0, before.entries.length - (before.length - base));
    const entries = [...kept, ...(await Promise.all(delta.map(withObservation)))];
    byScope.set(scope, { length: base + delta.length, entries });
    results = new Map();
    return entries;
  }

  async function withObservation(entry: Entry): Promise<Entry> {
    if (entry.type !== 'step' || entry.ref === undefined) return entry;
    const key = `${entry.ref.runId} ${entry.ref.activityId}`;
    if (!observations.has(key)) {
      const result = await decodeFirst(client, results.get(key));
      if (result === undefined) throw gone(entry.ref.runId);
      // Written by an activity of somebody else's, or by run-tool.
      observations.set(key, entry.ref.raw === true ? (result as Json) : (result as ToolResult).output);
    }
    return { ...entry, observation: observations.get(key) ?? null };
  }
}

/** The entries another run begins with, from that run's history. */
async function readOrigin(client: Client, run: RunRef, length: number): Promise<Entry[]> {
  const transcripts = createTranscripts(client, run.workflowId);
  try {
    for await (const event of readRun(client, run, false)) {
      await transcripts.next(event);
      const found = transcripts.at(0);
      if (found?.length === length) return found.entries;
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  throw gone(run.runId);
}

function kindOf(kinds: AgentKind[], name: string): AgentKind {
  const found = kinds.find((kind) => kind.name === name);
  if (found !== undefined) return found;
  throw new InvalidInput(
    `The agent's kind "${name}" is not known here (known: ${kinds.map((kind) => kind.name).join(', ')}). Name the config that defines it with --config.`,
  );
}

function gone(runId: string): InvalidInput {
  return new InvalidInput(
    `The requests cannot be rebuilt: what the model was shown first is recorded in run ${runId} or before it, and is past the namespace's retention.`,
  );
}
