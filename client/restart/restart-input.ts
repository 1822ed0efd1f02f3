import type { Client } from '@temporalio/client';
import { freshCounters } from '../../agent/limits/counters.ts';
import type { Restart } from '../../agent/calls/restart.ts';
import { limits } from '../../agent/values/limits.ts';
import { type Carried, carry } from '../../agent/run/carry.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import {
  type RecordedPoint,
  type RestartRecord,
  otherWorkflow,
  readRestartPoint,
} from '../../history/views/restart-point.ts';
import type { RunToRestart } from './restart-run.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';
import { jsonBytes } from '../../agent/values/digest.ts';

/** The restart that a person asks for. `said`: messages for the new run. */
type RestartRequest = Pick<Restart, 'by' | 'step' | 'edited' | 'turn'> & { said?: string[] };

export type RestartInput = AgentRunInput & { restart: Restart };

/** Makes the input of a run that continues from `point`. Throws InvalidInput if the record of `point` is past retention. */
export async function restartInput(
  client: Client,
  { record, id, runId }: RunToRestart,
  { by, step, edited, turn, said }: RestartRequest,
  point: RecordedPoint,
): Promise<RestartInput> {
  const isFork = by === 'fork';
  const own = isFork ? undefined : id; // a fork has another id
  const { elapsedMs, counters, from, pending } = await readRestartPoint(client, point, own);
  const { workflowId, ...kept } = point.from;
  const manifest = point.manifest ?? record.manifest;
  const input = {
    ...carry({ ...stateOf(record), manifest, said, from, pending, counters }, by),
    ...(record.model !== undefined && { overrides: { model: record.model } }),
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
  if (jsonBytes(input) <= limits.resultBytes) return input;
  const { entries: _, ...origin } = from;
  return checkedSize({ ...input, from: origin });
}

/** Makes the input for the retry of a run that ended before its model was asked: the question again. */
export function questionAgain({ record, runId }: RunToRestart): RestartInput {
  const { granted, undelivered: said } = record;
  const counters = { ...freshCounters(0), ...granted };
  return {
    ...carry({ ...stateOf(record), said, counters }, 'retry'),
    restart: { by: 'retry', step: 1, from: { runId }, latest: { runId }, elapsedMs: 0 },
  };
}

/** The state at the end of the record. */
function stateOf({
  input,
  manifest,
  agents,
  done,
  lastN,
  takenWords,
}: RestartRecord): Omit<Carried, 'counters'> {
  return { ...input, manifest, agents: agents.values(), done, lastN, takenWords };
}

/** Throws for an input larger than a payload may be, before it fails the new run. */
function checkedSize(input: RestartInput): RestartInput {
  const bytes = jsonBytes(input);
  if (bytes <= limits.resultBytes) return input;
  throw new InvalidInput(
    `${input.restart.by}: the input of the new run takes ${bytes} bytes; at most ${limits.resultBytes} can be recorded. Go back to an earlier step, or shorten what you give it.`,
  );
}
