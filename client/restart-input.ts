import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { freshCounters } from '../agent/counters.ts';
import type { Restart } from '../agent/restart.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { type Entry, type Mark, START, abroad } from '../agent/transcript/entries.ts';
import { limits } from '../agent/limits.ts';
import { InvalidInput } from '../agent/invalid-input.ts';
import type { RunRef } from '../history/pages.ts';
import { sourceOf } from '../history/requests.ts';
import type { Asked, Standing } from '../history/standing.ts';
import { rebuildTranscript } from '../history/transcript.ts';
import type { AgentRunInput } from '../workflows/messages.ts';
import type { RunToRestart } from './begin-again.ts';

/** Where the transcript of a new run begins, and what its first model call adds to it. */
export interface Beginning {
  /** Whose record has what comes before `mark`. */
  run: RunRef;
  mark: Mark;
  pending: Entry[];
  counters: Pick<Asked, 'spent' | 'elapsedMs' | 'repeat' | 'granted'>;
  /** The run that is kept up to there. */
  from: RunRef;
}

/** What is asked for. `said`: to the new run, before it begins. */
type What = Pick<Restart, 'by' | 'step' | 'edited' | 'turn'> & { said?: string[] };

export type RestartInput = AgentRunInput & { restart: Restart };

/** Before a model call. */
export function beginningAt(asked: Asked): Beginning {
  const { run, before, delta } = asked;
  return { run, mark: before, pending: delta, counters: asked, from: run };
}

/**
 * The input of a run that goes on from `beginning`. It carries what the model still sees, where that is small enough, so that
 * it does not depend on how long the server keeps the run before. Throws InvalidInput where that is gone already.
 */
export async function restartInput(
  client: Client,
  of: RunToRestart,
  { by, step, edited, turn, said = [] }: What,
  beginning: Beginning,
): Promise<RestartInput> {
  const { standing, id, runId } = of;
  const { counters, run, from } = beginning;
  // A fork's own id is another one.
  const elsewhere = (workflowId: string) => (by === 'fork' || workflowId !== id ? workflowId : undefined);
  const pending = abroad(beginning.pending, run.runId, elsewhere(run.workflowId));
  const { spent, elapsedMs, repeat, granted } = counters;
  const input = {
    ...common(standing, by),
    said: said.length === 0 ? undefined : said,
    from: { runId: run.runId, workflowId: elsewhere(run.workflowId), ...beginning.mark },
    pending,
    counters: {
      ...spent,
      startedAtMs: 0,
      waitedMs: 0,
      ...(repeat && { repeat }),
      ...granted,
    },
    restart: {
      by,
      step,
      from: { runId: from.runId, workflowId: elsewhere(from.workflowId) },
      latest: { runId, workflowId: by === 'fork' ? id : undefined },
      request: randomUUID(),
      elapsedMs,
      edited,
      turn,
    },
  };
  const entries = await visibleEntries(client, beginning);
  const whole = { ...input, from: { ...input.from, entries } };
  const fits = bytesOf(entries) <= limits.carriedBytes && bytesOf(whole) <= limits.resultBytes;
  return fits ? whole : checkedSize(input);
}

/** Of a run that ended before its agent was known: the question again. */
export function restartFromQuestion({ standing, id, runId }: RunToRestart, by: Restart['by']): RestartInput {
  const { input, granted, said } = standing;
  const run = { runId, workflowId: by === 'fork' ? id : undefined };
  return {
    ...common(standing, by),
    said: said.length === 0 ? undefined : said,
    question: input.question,
    overrides: input.overrides,
    counters: { ...freshCounters(0), ...granted },
    restart: { by, step: 1, from: run, latest: run, request: randomUUID(), elapsedMs: 0 },
  };
}

/** A fork has a lineage of its own: no session, no parent, and its calls have idempotency keys of their own. */
function common({ input, manifest, done }: Standing, by: Restart['by']): AgentRunInput {
  const { agent, session, caller, root, searchAttributes, events } = input;
  const isFork = by === 'fork';
  return {
    agent,
    session: isFork ? undefined : session,
    caller: isFork ? undefined : caller,
    root: isFork ? undefined : root,
    manifest,
    searchAttributes,
    events,
    done: done.length === 0 ? undefined : done,
  };
}

/** What the model still sees of what came before. */
async function visibleEntries(client: Client, { run, mark }: Beginning): Promise<Entry[]> {
  if (mark.length === START.length) return [];
  const transcript = await rebuildTranscript(sourceOf(client, whatIsGone), run, 0, mark);
  return transcript.entries.flatMap((entry): Entry[] => {
    if (entry.type === 'agent') return [];
    if (entry.type !== 'step') return [entry];
    const { ref: _, ...step } = entry; // what it refers to is in place
    return [step];
  });
}

/** What no payload may pass is told before it ends the new run. */
function checkedSize(input: RestartInput): RestartInput {
  const bytes = bytesOf(input);
  if (bytes <= limits.resultBytes) return input;
  throw new InvalidInput(
    `${input.restart.by}: what the new run has to begin with takes ${bytes} bytes; at most ${limits.resultBytes} can be recorded. Go back to an earlier step, or shorten what you give it.`,
  );
}

function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value));
}

function whatIsGone(runId: string): InvalidInput {
  return new InvalidInput(
    `The run cannot be taken up there: what the model was shown first is recorded in run ${runId} or before it, and is past the namespace's retention.`,
  );
}
