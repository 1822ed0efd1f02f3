import type { RunEvent, RunStep } from '../agent/events.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { RunExport } from '../client/run-export.ts';

/** Observations that a fork has changed, by the step from which on the model was told the other one. */
export type Edits = ReadonlyMap<number, ReadonlyMap<string, Json>>;

export function editsOf(events: readonly RunEvent[]): Edits {
  const edits = new Map<number, Map<string, Json>>();
  for (const event of events) {
    if (event.type !== 'restarted' || event.edits === undefined) continue;
    edits.set(event.step, new Map(event.edits.map(({ call, observation }) => [call, observation])));
  }
  return edits;
}

/** The record with the observations as the model was told them first. */
export function asToldFirst(record: RunExport): RunExport {
  const first = new Map<string, Json>();
  for (const event of record.events) {
    if (event.type === 'step' && event.within === undefined)
      first.set(event.step.call, event.step.observation);
  }
  const told = (step: RunStep) => ({ ...step, observation: first.get(step.call) ?? step.observation });
  return { ...record, run: { ...record.run, intermediateSteps: record.run.intermediateSteps.map(told) } };
}
