import type { RunExport } from '../../../client/export/run-export.ts';
import { axisOf } from './axis.ts';
import { html } from './html.ts';
import { hasImage } from './blocks.ts';
import { runSection } from './run-section.ts';
import { type Interval, latestOf, running } from './spans.ts';
import { wholePage } from './whole-page.ts';
import { badge, stateOfRun } from './words.ts';
import { viewOf } from '../../../agent/views/view.ts';

export interface RunPageOptions {
  /** The run's page in Temporal's Web UI. */
  url?: string | undefined;
  /** The present, milliseconds since 1970: what an open run waits for lasts until then. Default: its last event. */
  now?: number | undefined;
}

/**
 * An exported run as one page. The images of the question are in it. Everything that models, tools and people wrote is text on it.
 */
export function runPage(exported: RunExport, { url, now = 0 }: RunPageOptions = {}): string {
  const { id, runId, agent, status, stopReason } = exported.run;
  const recorded = wholeOf(exported);
  const isOpen = exported.events.at(-1)?.type !== 'run_ended';
  const whole = isOpen ? { ...recorded, to: Math.max(recorded.to, now) } : recorded;
  const view = viewOf(id, exported.events);
  const busy = view.turns.all.flatMap((turn) =>
    [turn, ...turn.calls].flatMap((work) => running(work, whole.to)),
  );
  const place = { path: '', axis: axisOf(busy, whole), end: whole.to };
  return wholePage(
    { title: `${agent} · run ${id}`, hasImages: hasImage(exported.run.input) },
    html`<header>
        <h1>${agent === '' ? 'Run' : agent} ${badge(stateOfRun(status, stopReason))}</h1>
        <p class="meta">
          run <code>${id}</code> · Temporal run
          <code>${runId}</code>${url === undefined ? '' : html` · <a href="${url}">Temporal's Web UI</a>`}
        </p>
      </header>
      <main>${runSection(exported, place, view)}</main>
      <footer>Written by <code>reloop export --html</code>. All times are UTC.</footer>`,
  );
}

/** Time from the first event of the run to its latest one or its sub-agents'. */
function wholeOf({ events, subAgents }: RunExport): Interval {
  const within = subAgents.flatMap((one) => (one.export === null ? [] : [wholeOf(one.export)]));
  const from = events[0]?.at ?? 0;
  return { from, to: Math.max(latestOf(events) ?? from, ...within.map(({ to }) => to)) };
}
