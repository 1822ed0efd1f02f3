import { expect } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { allOf } from './all-of.ts';
import { until } from './processes.ts';

/** What was said of a run that has ended, without what differs by nature: by the worker's `onEvent`, and by its history. */
interface Said {
  told: unknown[];
  recorded: unknown[];
  /** What was recorded, in a line each. */
  lines: string[];
}

/** `sideBySide`: calls of one turn end in any order; what is told of each has one. */
export async function toldAndRecorded(
  run: AgentRun,
  told: () => RunEvent[],
  { sideBySide = false } = {},
): Promise<Said> {
  const recorded = await allOf(run.events({ live: false }));
  // The worker hears of a run's end before it has told its last event.
  await until(() => told().at(-1)?.type === 'run_ended');
  const order = sideBySide ? byCall : (events: RunEvent[]) => events;
  return {
    told: said(order(told())),
    recorded: said(order(recorded)),
    lines: order(recorded).map(describeEvent),
  };
}

/** A worker's listener has received the events that history has. `told`: those events, by run. */
export async function expectToldAsRecorded(
  run: AgentRun,
  told: ReadonlyMap<string, RunEvent[]>,
): Promise<void> {
  const both = await toldAndRecorded(run, () => told.get(run.id) ?? []);
  expect(both.told).toEqual(both.recorded);
}

function byCall(events: RunEvent[]): RunEvent[] {
  return events.toSorted((a, b) => callOf(a).localeCompare(callOf(b)));
}

function callOf(event: RunEvent): string {
  if (event.type === 'step') return event.step.call;
  if (event.type === 'waiting') return event.wait.call;
  return 'call' in event ? event.call : '';
}

/** What differs by nature is left out: clocks, where it was read, and attempts that only history counts. */
function said(events: RunEvent[]): unknown[] {
  return events.map((event) => {
    const { at: _at, eventId: _eventId, ...rest } = { durationMs: 0, attempts: 0, ...event };
    const plain = { ...rest, durationMs: 0, attempts: 0 };
    return plain.type === 'step' ? { ...plain, step: { ...plain.step, durationMs: 0, attempts: 0 } } : plain;
  });
}

function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'step':
      return `step ${event.step.call}: ${JSON.stringify(event.step.observation)}`;
    case 'waiting':
      return `waiting ${event.wait.call}${event.wait.reason === 'failed' ? '' : `: ${event.wait.reason}`}`;
    case 'decided':
      return `decided ${event.call}: ${event.decision.type}`;
    case 'steered':
      return `steered: ${event.message.type}`;
    case 'run_ended':
      return `run_ended: ${event.status}, ${event.stopReason}`;
    default:
      return 'call' in event ? `${event.type} ${event.call}` : event.type;
  }
}
