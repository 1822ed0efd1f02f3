import { fittingDecisions } from '../../agent/rules/decisions.ts';
import { type WaitingCall, endsByExtension, stateOf } from '../../agent/rules/waiting.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import { isOwnStatus, searchAttribute } from '../../agent/values/names.ts';
import type { RunReport, RunUsage } from '../../client/report.ts';
import type { RunState } from '../../workflows/messages.ts';
import type { Execution } from './execution.ts';
import { durationMs } from './sdk.ts';
import type { VirtualServer } from './server.ts';
import type { Values } from './values.ts';

/** Looks at a report that nothing has outrun. `before`: taken before the report was asked for. */
export interface Onlooker {
  /** Reports a broken law. */
  broken(sentence: string): void;
  before(id: string): unknown;
  look(report: RunReport, before: unknown): void;
}

/** Waits in a memo. */
const MOST_LISTED = 10;

/** Holds each report against what lists of runs show, and each wait against what a person can do about it. */
export function createOnlooker(
  server: VirtualServer,
  { read }: Values,
  broken: (sentence: string) => void,
): Onlooker {
  /** Changes with the run. undefined: its workflow has not processed everything. */
  const stateOfRun = (id: string) => {
    const execution = server.find(id);
    return execution !== undefined && isSettled(execution)
      ? `${execution.runId} ${execution.history.length}`
      : undefined;
  };
  return {
    broken,
    before: stateOfRun,
    look(report, before) {
      const { id, status, waiting } = report;
      const isCalm = before !== undefined && before === stateOfRun(id);
      const listed = isCalm ? listedStatus(server, read, report) : undefined;
      const shown = isOwnStatus(status) ? status : null;
      if (isCalm && listed !== shown)
        broken(`${id} is ${status} at ${performance.now() / 1000} s, and lists show ${String(listed)}`);
      const [inMemo, inReport] = [waitsInMemo(server, read, id), waiting.map(nameOf).toSorted()];
      const isListed = inMemo.length === Math.min(MOST_LISTED, inReport.length);
      if (isCalm && !(isListed && inMemo.every((wait) => inReport.includes(wait))))
        broken(`${id} waits for ${inReport.join(', ')}, and its memo has ${inMemo.join(', ')}`);
      const held = isCalm ? server.find(id)?.held : undefined;
      const [own, reported] = held === undefined ? [] : [held, report].map(stateText);
      if (own !== reported) broken(`${id} holds ${own}, and its report has ${reported}`);
      for (const child of isCalm ? quietChildren(server, id) : []) {
        const caller = child.id.slice(id.length + 1);
        const own = waitsInMemo(server, read, child.id).map((wait) => `${caller}/${wait}`);
        const shown = inReport.filter((wait) => wait.startsWith(`${caller}/`));
        const isShown = own.length === Math.min(MOST_LISTED, shown.length);
        if (!isShown || !own.every((wait) => shown.includes(wait)))
          broken(`${id} shows ${shown.join(', ')}, and its sub-agent waits for ${own.join(', ')}`);
      }
      for (const wait of waiting) {
        if (wait.until !== undefined || endsByExtension(wait)) continue;
        if (fittingDecisions(stateOf(wait)).length === 0)
          broken(`${id}: call ${wait.call} waits (${wait.reason}), and no decision fits`);
      }
    },
  };
}

/** The fields that a run's report and the answer to the query `status` have in common, as JSON with sorted keys. */
function stateText({ agent, status, iterations, usage, waiting }: Omit<RunState, 'running'>): string {
  const { actions: _, ...used } = usage as RunUsage;
  const waits = waiting.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return canonicalJson({ agent, status, iterations, usage: used, waits });
}

/** Activities that prepare a run. A run shows a pause when it begins. */
const PREPARING = ['resolveAgent', 'earlierEffects'];

/** The workflow has processed all that it has heard, and the run has begun. */
function isSettled({ isOpen, tasks, activities }: Execution): boolean {
  const isPreparing = [...activities.values()].some(({ schedule }) =>
    PREPARING.includes(schedule.activityType?.name ?? ''),
  );
  return isOpen && tasks.state === 'none' && !isPreparing;
}

/** Longer than a signal is on its way. */
const QUIET_MS = 5000;

/** Sub-agents of a run of which neither the run nor they have news for the other. */
function quietChildren({ executions }: VirtualServer, id: string): Execution[] {
  const isQuiet = (execution: Execution) =>
    isSettled(execution) &&
    Date.now() - (durationMs(execution.history.at(-1)?.eventTime) ?? Infinity) > QUIET_MS;
  const open = executions.filter(isQuiet);
  const parent = open.find((execution) => execution.id === id);
  return open.filter(({ request }) => parent !== undefined && request.parent?.execution === parent);
}

function listedStatus(server: VirtualServer, read: Values['read'], { id }: RunReport): unknown {
  const payload = server.find(id)?.searchAttributes[searchAttribute.status];
  const value = payload?.data?.length ? read(payload) : null;
  // A removed attribute is an empty list.
  return Array.isArray(value) && value.length === 0 ? null : value;
}

/** Lists of runs read the waits of a run from its memo. */
function waitsInMemo(server: VirtualServer, read: Values['read'], id: string): string[] {
  const payload = server.find(id)?.memo['waiting'];
  const waits = payload?.data?.length ? (read(payload) as ListedWait[] | null) : null;
  return (waits ?? []).map(nameOf).toSorted();
}

type ListedWait = Pick<WaitingCall, 'call' | 'reason' | 'until'>;

function nameOf({ call, reason, until }: ListedWait): string {
  return `${call} ${reason} ${until ?? ''}`;
}
