import type { RunEvent } from '../../../agent/run/events.ts';
import type { RunView } from '../../../agent/views/view.ts';
import { type Usage, dollars, noUsage } from '../../../agent/values/vocabulary.ts';
import { duration } from '../../../features/render/words/amounts.ts';
import type { Colors } from '../../shell/display.ts';
import { keptText, totalWords } from './trace-words.ts';

export type RunEnded = Extract<RunEvent, { type: 'run_ended' }>;
export type Restarted = Extract<RunEvent, { type: 'restarted' }>;

/** Lines about the end of a run and what it took. For a fork: what it took after the fork, and what it kept of the other run. */
export function endLines(
  event: RunEnded,
  { iterations, usage }: RunView,
  { startedAt, fork }: { startedAt: number; fork: Restarted | undefined },
  { green, yellow, red, dim }: Colors,
): string[] {
  const paint = event.status === 'completed' ? green : event.status === 'stopped' ? yellow : red;
  const why = event.status === 'stopped' ? ` (${event.stopReason})` : '';
  const own = totalWords(iterations - (fork?.iterations ?? 0), fork ? usageSince(usage, fork.usage) : usage);
  const costs = [...own, duration(event.at - (fork?.at ?? startedAt))];
  return [
    `${paint(event.status + why)} ${dim(`· ${costs.join(' · ')}`)}`,
    ...(fork === undefined ? [] : [dim(keptText(fork))]),
  ];
}

/** The part of a usage that came after an earlier one of the same run. A price that is known of one only is left out. */
function usageSince(now: Usage, before: Usage): Usage {
  const since: Usage = { ...noUsage };
  for (const key of Object.keys(now) as (keyof Usage)[]) {
    const amount = now[key];
    if (amount !== undefined) since[key] = Math.max(0, dollars(amount - (before[key] ?? 0)));
  }
  if (before.cost === undefined && before.modelCalls > 0) delete since.cost;
  return since;
}
