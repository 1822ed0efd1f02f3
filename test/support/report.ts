import type { RunEvent } from '../../agent/run/events.ts';
import { RunView } from '../../agent/views/view.ts';
import { type RunReport, reportOf } from '../../client/report.ts';

/** The report of a run that has these events, as `describe()` makes it. */
export function reportFrom(id: string, runId = '', events: Iterable<RunEvent> = []): RunReport {
  const view = new RunView(id, runId);
  for (const event of events) view.add(event);
  return reportOf(view);
}
