import { expect } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';

/** A worker's listener is told what history says. */
export async function sameForAllReaders(
  told: ReadonlyMap<string, RunEvent[]>,
  started: AgentRun,
): Promise<void> {
  const recorded: RunEvent[] = [];
  for await (const event of started.events({ live: false })) recorded.push(event);
  expect((told.get(started.id) ?? []).map(essence)).toEqual(recorded.map(essence));
}

function essence(event: RunEvent) {
  const { type } = event;
  if (type === 'waiting') return [type, event.wait];
  if (type === 'tool_failed') return [type, event.error];
  return type === 'step' ? [type, event.step.observation] : type;
}
