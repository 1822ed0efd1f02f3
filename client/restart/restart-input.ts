import type { Client } from '@temporalio/client';
import { freshCounters } from '../../agent/limits/counters.ts';
import type { Restart } from '../../agent/calls/restart.ts';
import { limits } from '../../agent/values/limits.ts';
import { newTrace, readTraceparent } from '../../agent/values/trace-context.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import {
  type RecordedPoint,
  type RestartRecord,
  bytesOf,
  otherWorkflow,
  readRestartPoint,
} from '../../history/views/restart-point.ts';
import type { RunToRestart } from './restart-run.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** The restart that a person asks for. `said`: messages for the new run. */
type RestartRequest = Pick<Restart, 'by' | 'step' | 'edited' | 'turn'> & { said?: string[] };

export type RestartInput = AgentRunInput & { restart: Restart };

/** Makes the input of a run that continues from `point`. Throws InvalidInput if the record of `point` is past retention. */
export async function restartInput(
  client: Client,
  { record, id, runId }: RunToRestart,
  { by, step, edited, turn, said = [] }: RestartRequest,
  point: RecordedPoint,
): Promise<RestartInput> {
  const isFork = by === 'fork';
  const own = isFork ? undefined : id; // a fork has another id
  const { elapsedMs, counters, from, pending } = await readRestartPoint(client, point, own);
  const { workflowId, ...kept } = point.from;
  const input = {
    ...common(record, by),
    ...agentsAt(record, point),
    said: said.length === 0 ? undefined : said,
    from,
    pending,
    counters: { ...counters, startedAtMs: 0, waitedMs: 0 },
    restart: {
      by,
      step,
      from: { ...kept, workflowId: otherWorkflow(workflowId, own) },
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

/** Makes the input for a run that ended before its agent was resolved: the question again. */
export function restartFromQuestion({ record, id, runId }: RunToRestart, by: Restart['by']): RestartInput {
  const { input, granted, undelivered } = record;
  const run = { runId, workflowId: by === 'fork' ? id : undefined };
  const ofParent = by === 'fork' ? {} : { parentBudget: input.parentBudget, insteadOf: input.insteadOf };
  return {
    ...common(record, by),
    ...ofParent,
    said: undelivered.length === 0 ? undefined : undelivered,
    question: input.question,
    overrides: input.overrides,
    counters: { ...freshCounters(0), ...granted },
    restart: { by, step: 1, from: run, latest: run, elapsedMs: 0 },
  };
}

/** The agent that has the conversation at the point, and the others that had it. */
function agentsAt({ agents, manifest }: RestartRecord, point: RecordedPoint): Partial<AgentRunInput> {
  const at = point.manifest ?? manifest;
  const others = [...agents.values()].filter(({ name }) => name !== at?.name);
  return { manifest: at, ...(others.length > 0 && { agents: others }) };
}

/** Fields of every restart's input. A fork has no session and no parent, and its calls get new idempotency keys. */
function common(
  { input, manifest, done, lastN, takenWords }: RestartRecord,
  by: Restart['by'],
): AgentRunInput {
  const { agent, session, caller, root, searchAttributes, events, trace } = input;
  const isFork = by === 'fork';
  return {
    agent,
    session: isFork ? undefined : session,
    caller: isFork ? undefined : caller,
    root: isFork ? undefined : root,
    manifest,
    searchAttributes,
    events,
    trace: isFork ? forkTrace(trace) : trace,
    done: done.length === 0 ? undefined : done,
    firstN: isFork ? undefined : lastN + 1,
    takenWords: isFork || takenWords.length === 0 ? undefined : takenWords,
  };
}

/** A fork starts a new trace, which is recorded if the first run's is. */
function forkTrace(trace: string | undefined): string | undefined {
  const first = trace === undefined ? undefined : readTraceparent(trace);
  return first && newTrace(first.sampled);
}

/** Throws for an input larger than a payload may be, before it fails the new run. */
function checkedSize(input: RestartInput): RestartInput {
  const bytes = bytesOf(input);
  if (bytes <= limits.resultBytes) return input;
  throw new InvalidInput(
    `${input.restart.by}: the input of the new run takes ${bytes} bytes; at most ${limits.resultBytes} can be recorded. Go back to an earlier step, or shorten what you give it.`,
  );
}
