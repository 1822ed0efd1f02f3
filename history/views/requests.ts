import type { Client } from '@temporalio/client';
import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import { conversationBefore, keptTurns } from '../../agent/transcript/compaction.ts';
import { renderSummaryRequest } from '../../agent/transcript/summary-request.ts';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import type { ModelTurn } from '../../agent/calls/calls.ts';
import {
  type ModelRequest,
  renderRequest,
  requestDigest,
  withoutTools,
} from '../../agent/transcript/request.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import { type TranscriptSource, transcriptReader } from './transcript.ts';
import { conversation } from '../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { Fact } from '../read/fact.ts';
import { readFacts } from '../read/facts.ts';
import { calledIn } from '../read/scheduled-call.ts';
import { readObservation } from './observation.ts';
import { type RunRef, isNotFound } from '../read/pages.ts';

/** Request of one model call. `call`: `3`, and `1/3` in the second runAgent of one workflow. */
export interface AskedRequest {
  call: string;
  /** Number of the call's schedule, from 0. */
  n: number;
  request: ModelRequest;
  /** Returns the shortened request, which was sent if the request was too long for the model (`turn.shortened`). */
  shortened(): ModelRequest;
}

export interface RequestsOptions {
  /** Continue with new requests until the run ends. */
  follow: boolean;
  /** All kinds that agents of the run, and its sub-agents, may have. Default: the built-in kinds. */
  kinds?: readonly AgentKind[] | undefined;
}

/**
 * Rebuilds the request of every model call of a run. The returned function takes all facts, in order. Histories record only the new
 * entries of each call; the transcript is rebuilt from them, and rendered as the activity rendered it. The function throws InvalidInput
 * if entries are past retention, or a kind is unknown.
 */
export function requestReader(
  client: Client,
  kinds: readonly AgentKind[] = builtInKinds,
): (fact: Fact) => Promise<AskedRequest[]> {
  const next = transcriptReader(sourceOf(client));
  return async (fact) => {
    const found = await next(fact);
    return found.flatMap(({ transcript, modelCall }) => {
      if (modelCall === undefined) return [];
      const { scope, call, n, closing, compact = false } = modelCall;
      const context = compact ? withoutKept(transcript.entries) : conversation(transcript.entries, closing);
      const kind = kindOf(kinds, context.manifest.kind);
      const render = compact ? renderSummaryRequest : renderRequest;
      const request = render(kind, context);
      const shortened = () => render(kind, shortenOldest(context) ?? context);
      return { call: calledIn(scope, call), n, request, shortened };
    });
  };
}

/**
 * Chooses the request that was sent, by the recorded reply. `exact`: this code renders the request as it was sent, as far as the recorded digest
 * says; true also without a reply.
 */
export function sentRequest(
  { request, shortened }: AskedRequest,
  turn: ModelTurn | undefined,
): { request: ModelRequest; exact: boolean } {
  const sent = turn?.shortened === true ? shortened() : request;
  const isSent = (one: ModelRequest) => turn === undefined || turn.request === requestDigest(one);
  // A further attempt at a summary or a closing answer.
  const found = [sent, withoutTools(sent)].find(isSent);
  return { request: found ?? sent, exact: found !== undefined };
}

/** The conversation that a summary is asked of. */
function withoutKept(entries: readonly Entry[]): PromptContext {
  const { compaction } = conversation(entries).manifest;
  return compaction === undefined
    ? conversation(entries)
    : conversationBefore(entries, keptTurns(entries, compaction));
}

/** Source of transcripts that reads with a client. `expired`: makes the error for a record past retention. */
export function sourceOf(
  client: Client,
  expired: (runId: string) => Error = requestsExpired,
): TranscriptSource {
  return {
    facts: (run) => factsOf(client, run, expired),
    async observation(run, ref, result) {
      const found = await readObservation(client, run, ref, result);
      if (found === undefined) throw expired(ref.runId ?? run.runId);
      return found;
    },
    broken: (_, { runId }) => expired(runId),
  };
}

async function* factsOf(
  client: Client,
  run: RunRef,
  expired: (runId: string) => Error,
): AsyncGenerator<Fact> {
  try {
    yield* readFacts(client, run);
  } catch (error) {
    throw isNotFound(error) ? expired(run.runId) : error;
  }
}

function kindOf(kinds: readonly AgentKind[], name: string): AgentKind {
  const found = kinds.find((kind) => kind.name === name);
  if (found !== undefined) return found;
  throw new InvalidInput(
    `The agent's kind "${name}" is not known here (known: ${kinds.map((kind) => kind.name).join(', ')}). Name the config that defines it with --config.`,
  );
}

function requestsExpired(runId: string): InvalidInput {
  return new InvalidInput(
    `The requests cannot be rebuilt: the beginning of the transcript is recorded in run ${runId} or before it, and is past the namespace's retention.`,
  );
}
