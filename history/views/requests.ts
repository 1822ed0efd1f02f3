import type { Client } from '@temporalio/client';
import type { AgentKind } from '../../agent/definition/kind.ts';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import { type ModelRequest, renderRequest } from '../../agent/transcript/request.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import { type TranscriptSource, readTranscripts } from './transcript.ts';
import { conversation } from '../../agent/transcript/entries.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { readLineage } from '../read/lineage.ts';
import type { Fact } from '../read/fact.ts';
import { readFacts } from '../read/facts.ts';
import { readObservation } from './observation.ts';
import { type RunRef, isNotFound } from '../read/pages.ts';

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
  /** All kinds that agents of the run may have. Default: the built-in kinds. An array: sub-agents are read with it too. */
  kinds?: readonly AgentKind[] | undefined;
}

/**
 * The request of every model call of a run, in order, rebuilt from history: calls record only what was new to the
 * model, so the whole is put together again and rendered as the activity did.
 */
export function readRequests(
  client: Client,
  run: RunRef,
  { follow, kinds }: RequestsOptions,
): AsyncGenerator<AskedRequest> {
  return requestsIn(client, readLineage(client, run, follow), kinds);
}

/** The same, from facts of the run that the caller reads. */
export async function* requestsIn(
  client: Client,
  facts: AsyncIterable<Fact> | Iterable<Fact>,
  kinds: readonly AgentKind[] = builtInKinds,
): AsyncGenerator<AskedRequest> {
  for await (const { transcript, asked } of readTranscripts(sourceOf(client), facts)) {
    if (asked === undefined) continue;
    const { scope, call, n, closing } = asked;
    const context = conversation(transcript.entries, closing);
    const kind = kindOf(kinds, context.manifest.kind);
    yield {
      call: scope === 0 ? call : `${scope}/${call}`,
      n,
      request: renderRequest(kind, context),
      shortened: () => renderRequest(kind, shortenOldest(context) ?? context),
    };
  }
}

/** Transcripts as a client reads them; `lost`: the error for what is past retention. */
export function sourceOf(client: Client, lost: (runId: string) => Error = gone): TranscriptSource {
  return {
    facts: (run) => factsOf(client, run, lost),
    async observation(run, ref, result) {
      const found = await readObservation(client, run, ref, result);
      if (found === undefined) throw lost(ref.runId ?? run.runId);
      return found;
    },
    broken: (_, { runId }) => lost(runId),
  };
}

async function* factsOf(client: Client, run: RunRef, lost: (runId: string) => Error): AsyncGenerator<Fact> {
  try {
    yield* readFacts(client, run);
  } catch (error) {
    throw isNotFound(error) ? lost(run.runId) : error;
  }
}

function kindOf(kinds: readonly AgentKind[], name: string): AgentKind {
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
