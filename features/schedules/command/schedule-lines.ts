import { plainJson } from '../../../agent/values/values.ts';
import { asText } from '../../../agent/values/vocabulary.ts';
import { fieldsOf } from '../../../agent/values/json-object.ts';
import type { ScheduleSummary } from '../client/agent-schedule.ts';
import type { ScheduleReport } from '../client/schedule-report.ts';
import { count, oneLine } from '../../render/words/amounts.ts';
import { localTime, localZone, table } from '../../../cli/shell/display.ts';

/** Columns of a list of schedules. */
export function schedulesTable(schedules: readonly ScheduleSummary[], width?: number): string[] {
  const rows = schedules.map(({ name, paused, synced, next, lastRun }) => [
    oneLine(name),
    paused ? 'paused' : timeOrNone(next),
    synced ? 'config' : 'create',
    lastRun === null ? 'none yet' : oneLine(lastRun),
  ]);
  return table([['NAME', `NEXT (${localZone()})`, 'FROM', 'LATEST RUN'], ...rows], width);
}

/** A schedule as `show` and `create` print it. */
export function scheduleLines(report: ScheduleReport): string[] {
  const { name, agent, input, paused, note, synced, policies, next, runs, running } = report;
  const { started, skipped, missed } = report;
  const times = next.slice(0, 3).map(localTime);
  const because = note === null ? '' : `: ${oneLine(note)}`;
  return [
    `Schedule ${oneLine(name)}${synced ? ', from the config' : ''}`,
    `asks ${oneLine(agent)}: ${oneLine(questionWords(fieldsOf(input)))}`,
    `next: ${paused ? `none, it is paused${because}` : times.length === 0 ? 'none' : `${times.join(', ')} (${localZone()})`}`,
    `while an earlier run is open: ${policies.overlap}`,
    `started: ${started}, skipped: ${skipped}, missed: ${missed}`,
    ...runs.map(({ id }) => `run ${oneLine(id)}${running.includes(id) ? ' (open)' : ''}`),
  ];
}

function questionWords({ input, inputs }: { [field: string]: unknown }): string {
  return Array.isArray(inputs) ? count(inputs.length, 'question') : asText(plainJson(input ?? ''));
}

function timeOrNone(time: Date | null): string {
  return time === null ? 'none' : localTime(time);
}
