import { fittingDecisions } from '../../agent/rules/decisions.ts';
import { type WaitingCall, endsByExtension, stateOf } from '../../agent/rules/waiting.ts';
import { isOwnStatus, searchAttribute } from '../../agent/values/names.ts';
import type { RunReport } from '../../client/index.ts';
import type { Onlooker } from './operator.ts';
import { decodeValue } from './sdk.ts';
import type { VirtualServer } from './server.ts';

/** Waits in a memo. */
const MOST_LISTED = 10;

/** Holds each report against what lists of runs show, and each wait against what a person can do about it. */
export function createOnlooker(server: VirtualServer, broken: (sentence: string) => void): Onlooker {
  /** Changes with the run. undefined: its workflow has not processed everything. */
  const stateOfRun = (id: string) => {
    const execution = server.find(id);
    const isCalm = execution?.isOpen === true && execution.tasks.state === 'none';
    return isCalm ? `${execution.runId} ${execution.history.length}` : undefined;
  };
  return {
    broken,
    before: stateOfRun,
    look(report, before) {
      const { id, status, waiting } = report;
      const isCalm = before !== undefined && before === stateOfRun(id);
      const listed = isCalm ? listedStatus(server, report) : undefined;
      const shown = isOwnStatus(status) ? status : null;
      if (isCalm && listed !== shown)
        broken(`${id} is ${status} at ${performance.now() / 1000} s, and lists show ${String(listed)}`);
      const [inMemo, inReport] = [waitsInMemo(server, id), waiting.map(nameOf).toSorted()];
      const isListed = inMemo.length === Math.min(MOST_LISTED, inReport.length);
      if (isCalm && !(isListed && inMemo.every((wait) => inReport.includes(wait))))
        broken(`${id} waits for ${inReport.join(', ')}, and its memo has ${inMemo.join(', ')}`);
      for (const wait of waiting) {
        if (wait.until !== undefined || endsByExtension(wait)) continue;
        if (fittingDecisions(stateOf(wait)).length === 0)
          broken(`${id}: call ${wait.call} waits (${wait.reason}), and no decision fits`);
      }
    },
  };
}

function listedStatus(server: VirtualServer, { id }: RunReport): unknown {
  const payload = server.find(id)?.searchAttributes[searchAttribute.status];
  const value = payload?.data?.length ? decodeValue(payload) : null;
  // A removed attribute is an empty list.
  return Array.isArray(value) && value.length === 0 ? null : value;
}

/** Lists of runs read the waits of a run from its memo. */
function waitsInMemo(server: VirtualServer, id: string): string[] {
  const payload = server.find(id)?.memo['waiting'];
  const waits = payload?.data?.length ? (decodeValue(payload) as ListedWait[] | null) : null;
  return (waits ?? []).map(nameOf).toSorted();
}

type ListedWait = Pick<WaitingCall, 'call' | 'reason' | 'until'>;

function nameOf({ call, reason, until }: ListedWait): string {
  return `${call} ${reason} ${until ?? ''}`;
}
