import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import { RunView } from '../../agent/views/view.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { type TimelineOptions, readTimeline } from '../../history/views/timeline.ts';
import { type RunReport, reportOf } from '../report.ts';
import { explainReset } from './replaced-run.ts';

export interface FoldOptions extends TimelineOptions {
  onEvent?: ((event: RunEvent, view: RunView) => void) | undefined;
}

/** Reads a run's record, and reports the state that it leads to. */
export async function foldRun(
  client: Client,
  run: RunRef,
  { onEvent, ...options }: FoldOptions,
): Promise<RunReport> {
  const { workflowId } = run;
  const view = new RunView(workflowId);
  const add = (event: RunEvent) => {
    view.add(event);
    onEvent?.(event, view);
  };
  for await (const { events, runId, at, isPresent } of readTimeline(client, run, options)) {
    if (isPresent) add({ type: 'caught_up', at });
    for (const event of events) {
      const isEnd = event.type === 'run_ended';
      add(isEnd ? await explainReset(client, { workflowId, runId }, event) : event);
    }
  }
  return reportOf(view);
}
