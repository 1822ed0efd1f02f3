import { needsPerson } from '../../agent/rules/waiting.ts';
import { type RunStatus, type Usage, addUsage, noUsage } from '../../agent/values/vocabulary.ts';
import type { RunSummary } from '../../client/read/list-runs.ts';

/** Runs summed up, as `reloop report --json` prints it; the field names are a contract. */
export interface RunsReport {
  runs: number;
  /** Number of runs by status; only statuses that a run has. */
  statuses: { [S in RunStatus]?: number };
  /** Number of runs by agent. */
  agents: { [name: string]: number };
  usage: Usage;
  /** Types of the errors of failed runs, the most frequent first. */
  failures: { type: string; runs: number; /** Id of one of them. */ run: string; message: string }[];
  /** Calls that wait for a person, by tool and reason, the most frequent first. */
  waiting: { tool: string; reason: string; calls: number; /** Id of a run that has one. */ run: string }[];
  /** The runs that took the longest, also those that are open; waits for people count. */
  slowest: { run: string; status: RunStatus; ms: number }[];
  /** Start of the first run, and the end of the last one that has ended. */
  firstStart: Date | null;
  lastEnd: Date | null;
}

const SLOWEST = 5;

/** Sums up runs one by one. `add` takes a run of a full list. */
export function createRunsReport(now: () => number = Date.now) {
  const report: RunsReport = {
    runs: 0,
    statuses: {},
    agents: {},
    usage: noUsage,
    failures: [],
    waiting: [],
    slowest: [],
    firstStart: null,
    lastEnd: null,
  };
  const failures = new Map<string, RunsReport['failures'][number]>();
  const waits = new Map<string, RunsReport['waiting'][number]>();

  function add(run: RunSummary): void {
    const { id, status, agent, usage, error, startedAt, closedAt, waiting = [] } = run;
    report.runs++;
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    report.agents[agent] = (report.agents[agent] ?? 0) + 1;
    if (usage !== undefined) report.usage = addUsage(report.usage, usage);
    if (error) {
      const known = failures.get(error.type);
      if (known === undefined)
        failures.set(error.type, { type: error.type, runs: 1, run: id, message: error.message });
      else known.runs++;
    }
    for (const { tool, reason } of waiting.filter(needsPerson)) {
      const key = `${tool} ${reason}`;
      const known = waits.get(key);
      if (known === undefined) waits.set(key, { tool, reason, calls: 1, run: id });
      else known.calls++;
    }
    const ms = (closedAt?.getTime() ?? now()) - startedAt.getTime();
    report.slowest = [...report.slowest, { run: id, status, ms }]
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST);
    if (report.firstStart === null || startedAt < report.firstStart) report.firstStart = startedAt;
    if (closedAt !== null && (report.lastEnd === null || closedAt > report.lastEnd))
      report.lastEnd = closedAt;
  }

  return {
    add,
    report: (): RunsReport => ({
      ...report,
      failures: [...failures.values()].toSorted((a, b) => b.runs - a.runs),
      waiting: [...waits.values()].toSorted((a, b) => b.calls - a.calls),
    }),
  };
}
