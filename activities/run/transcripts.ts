import { ApplicationFailure, type Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { Fact } from '../../history/read/fact.ts';
import { readFacts } from '../../history/read/facts.ts';
import { type RunRef, isNotFound } from '../../history/read/pages.ts';
import type { CallModelInput, ToolCallMeta } from '../../agent/calls/calls.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { type TranscriptSource, rebuildAgent, rebuildTranscript } from '../../history/views/transcript.ts';
import { EMPTY, type Transcript, extendTranscript, isAt } from '../../agent/transcript/state.ts';
import { type Mark, agentOf } from '../../agent/transcript/entries.ts';

import type { Observations } from './observations.ts';

/** The worker's transcripts. Only a cache: each can be rebuilt from history by any worker. */
export interface Transcripts {
  /** The transcript of one model call: everything before the call, and its own delta. */
  open(context: Context, input: CallModelInput): Promise<Transcript>;
  /** The agent of the scope that an activity belongs to; with `agent`, the one that took the run over. */
  manifest(context: Context, place: Pick<ToolCallMeta, 'scope' | 'agent'>): Promise<AgentManifest>;
}

/** Agents of runs whose transcript is not in the cache. */
const AGENTS = 500;

/** `maxBytes` bounds the cache; least recently used transcripts go first. */
export function createTranscripts(maxBytes: number, observations: Observations): Transcripts {
  // Two transcripts a scope: an attempt whose result got lost is asked again from where the first one started.
  const cache = new LRUCache<string, { before: Transcript; after: Transcript }>({
    maxSize: maxBytes,
    sizeCalculation: ({ after }) => Math.max(1, after.bytes),
  });

  // A worker that only runs tools would read the history again at each call.
  const agents = new LRUCache<string, AgentManifest>({ max: AGENTS });

  const cached = (runId: string, scope: number, mark: Mark): Transcript | undefined => {
    const found = cache.get(`${runId}/${scope}`);
    return [found?.after, found?.before].find((transcript) => transcript && isAt(transcript, mark));
  };

  return {
    async open(context, input) {
      const run = runOf(context);
      const source = sourceOf(context.client, observations);
      const mark = { length: input.base, digest: input.prev };
      const before =
        (input.base === 0 ? EMPTY : undefined) ??
        cached(run.runId, input.scope, mark) ??
        (input.origin === undefined ? undefined : cached(input.origin.runId, 0, mark)) ??
        (await rebuildTranscript(source, run, input.scope, mark));
      const after = await extendTranscript(before, input.delta, (ref) => source.observation(run, ref), run);
      cache.set(`${run.runId}/${input.scope}`, { before, after });
      return after;
    },

    async manifest(context, { scope, agent }) {
      const run = runOf(context);
      const key = `${run.runId}/${scope}/${agent ?? ''}`;
      const isAsked = (manifest: AgentManifest) => agent === undefined || manifest.name === agent;
      const known = agentOf(cache.get(`${run.runId}/${scope}`)?.after.entries ?? [])?.manifest;
      const found = known !== undefined && isAsked(known) ? known : agents.get(key);
      if (found !== undefined) return found;
      const manifest = await rebuildAgent(sourceOf(context.client, observations), run, scope, isAsked);
      agents.set(key, manifest);
      return manifest;
    },
  };
}

function sourceOf(client: Client, observations: Observations): TranscriptSource {
  return {
    facts: (run) => factsOf(client, run),
    observation: (run, ref, result) => observations.find(client, run, ref, result),
    broken: (what) => corrupt(what),
  };
}

async function* factsOf(client: Client, run: RunRef): AsyncGenerator<Fact> {
  try {
    yield* readFacts(client, run);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw ApplicationFailure.create({
      type: 'TranscriptGone',
      message: `Run ${run.runId}, where this run's transcript starts, is past the namespace's retention. Start a new run.`,
      nonRetryable: true,
    });
  }
}

function runOf({ info }: Context): RunRef {
  if (info.workflowExecution === undefined) throw new Error('This activity belongs to a workflow.');
  return info.workflowExecution;
}

function corrupt(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'TranscriptCorrupt',
    message: `The recorded transcript does not add up: ${what}. Nothing was guessed; the run's history is untouched.`,
    nonRetryable: true,
  });
}
