import type { Client } from '@temporalio/client';
import { freshCounters } from '../../agent/limits/counters.ts';
import type { Restart } from '../../agent/calls/restart.ts';
import { limits } from '../../agent/values/limits.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { type Beginning, bytesOf, elsewhere, restartPoint } from '../../history/views/restart-point.ts';
import type { Standing } from '../../history/views/restart-point.ts';
import type { AgentRunInput } from '../../workflows/messages.ts';
import type { RunToRestart } from './begin-again.ts';

/** What is asked for. `said`: to the new run, before it begins. */
type What = Pick<Restart, 'by' | 'step' | 'edited' | 'turn'> & { said?: string[] };

export type RestartInput = AgentRunInput & { restart: Restart };

/** The input of a run that goes on from `beginning`. Throws InvalidInput where the record of that is gone already. */
export async function restartInput(
  client: Client,
  { standing, id, runId }: RunToRestart,
  { by, step, edited, turn, said = [] }: What,
  beginning: Beginning,
): Promise<RestartInput> {
  const isFork = by === 'fork';
  const own = isFork ? undefined : id; // a fork's own id is another one
  const { elapsedMs, counters, from, pending } = await restartPoint(client, beginning, own);
  const { workflowId, ...kept } = beginning.from;
  const input = {
    ...common(standing, by),
    said: said.length === 0 ? undefined : said,
    from,
    pending,
    counters: { ...counters, startedAtMs: 0, waitedMs: 0 },
    restart: {
      by,
      step,
      from: { ...kept, workflowId: elsewhere(workflowId, own) },
      latest: { runId, workflowId: isFork ? id : undefined },
      elapsedMs,
      edited,
      turn,
    },
  };
  if (bytesOf(input) <= limits.resultBytes) return input;
  const { entries: _, ...origin } = from;
  return checkedSize({ ...input, from: origin });
}

/** Of a run that ended before its agent was known: the question again. */
export function restartFromQuestion({ standing, id, runId }: RunToRestart, by: Restart['by']): RestartInput {
  const { input, granted, said } = standing;
  const run = { runId, workflowId: by === 'fork' ? id : undefined };
  const ofParent = by === 'fork' ? {} : { parentBudget: input.parentBudget, insteadOf: input.insteadOf };
  return {
    ...common(standing, by),
    ...ofParent,
    said: said.length === 0 ? undefined : said,
    question: input.question,
    overrides: input.overrides,
    counters: { ...freshCounters(0), ...granted },
    restart: { by, step: 1, from: run, latest: run, elapsedMs: 0 },
  };
}

/** A fork has a lineage of its own: no session, no parent, and its calls have idempotency keys of their own. */
function common({ input, manifest, done, lastN }: Standing, by: Restart['by']): AgentRunInput {
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
    firstN: isFork ? undefined : lastN + 1,
  };
}

/** What no payload may pass is told before it ends the new run. */
function checkedSize(input: RestartInput): RestartInput {
  const bytes = bytesOf(input);
  if (bytes <= limits.resultBytes) return input;
  throw new InvalidInput(
    `${input.restart.by}: what the new run has to begin with takes ${bytes} bytes; at most ${limits.resultBytes} can be recorded. Go back to an earlier step, or shorten what you give it.`,
  );
}
