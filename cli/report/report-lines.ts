import { runStatuses } from '../../client/read/run-filters.ts';
import { count, duration, oneLine } from '../../features/render/words/amounts.ts';
import { costWords, totalTokenWords } from '../../features/render/words/usage-words.ts';
import { toolWord } from '../print/runs-table.ts';
import { localTime, localZone } from '../shell/display.ts';
import type { RunsReport } from './runs-report.ts';

/** Characters of an error's message. */
const MESSAGE_CHARS = 200;

/** The report as lines of text. */
export function reportLines(report: RunsReport): string[] {
  const { runs, statuses, agents, usage, failures, waiting, slowest, firstStart, lastEnd } = report;
  const amounts = runStatuses.flatMap((status) =>
    statuses[status] === undefined ? [] : [`${statuses[status]} ${status}`],
  );
  const names = Object.entries(agents);
  return [
    `${count(runs, 'run')}: ${amounts.join(', ')}`,
    ...(names.length > 1
      ? [`agents: ${names.map(([name, amount]) => `${oneLine(name)} ${amount}`).join(', ')}`]
      : []),
    [totalTokenWords(usage), count(usage.modelCalls, 'model call'), ...costWords(usage)].join(', '),
    ...(firstStart === null
      ? []
      : [
          `first start ${localTime(firstStart)}${lastEnd === null ? '' : `, last end ${localTime(lastEnd)}`} (${localZone()})`,
        ]),
    ...section(
      'failures',
      failures.map(
        (one) =>
          `${one.runs} × ${oneLine(one.type)}, such as ${oneLine(one.run)}: ${oneLine(one.message).slice(0, MESSAGE_CHARS)}`,
      ),
    ),
    ...section(
      'waiting for a person',
      waiting.map(
        (one) => `${one.calls} × ${toolWord(one.tool)} (${oneLine(one.reason)}), such as ${oneLine(one.run)}`,
      ),
    ),
    ...section(
      'slowest',
      slowest.map((one) => `${duration(one.ms)}  ${oneLine(one.run)} (${one.status})`),
    ),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}
