import type { Execution } from './execution.ts';
import type { temporal } from './sdk.ts';
import type { VirtualServer } from './server.ts';

/** Temporal's number of the filter for the event that closes a run. */
const CLOSE_EVENT = 2;
const LONG_POLL_MS = 20_000;

export type ExecutionName = { workflowId?: string | null; runId?: string | null } | null | undefined;

/** The requests for the history of an execution, forwards and backwards. */
export function historyMethods(server: VirtualServer, found: (execution: ExecutionName) => Execution) {
  return {
    async getWorkflowExecutionHistory(
      request: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest,
    ) {
      const execution = found(request.execution);
      const from = offsetOf(request.nextPageToken, execution);
      const run = server.find(execution.id, from.runId) ?? execution;
      const closeOnly = Number(request.historyEventFilterType) === CLOSE_EVENT;
      const isNew = () => !run.isOpen || (!closeOnly && run.history.length > from.at);
      if (request.waitNewEvent === true && !isNew()) await changed(run, isNew);
      const { history } = run;
      const size = request.maximumPageSize || 200;
      const events = closeOnly
        ? run.isOpen
          ? []
          : history.slice(-1)
        : history.slice(from.at, from.at + size);
      const at = closeOnly ? history.length : from.at + events.length;
      const isWhole = at >= history.length && (request.waitNewEvent !== true || !run.isOpen);
      return {
        history: { events },
        nextPageToken: isWhole ? new Uint8Array() : Buffer.from(JSON.stringify({ runId: run.runId, at })),
      };
    },
    getWorkflowExecutionHistoryReverse(
      request: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseRequest,
    ) {
      const execution = found(request.execution);
      const reversed = execution.history.toReversed();
      const { at } = offsetOf(request.nextPageToken, execution);
      const events = reversed.slice(at, at + (request.maximumPageSize || 20));
      const next = at + events.length;
      return {
        history: { events },
        nextPageToken:
          next >= reversed.length
            ? new Uint8Array()
            : Buffer.from(JSON.stringify({ runId: execution.runId, at: next })),
      };
    },
  };
}

function offsetOf(token: Uint8Array | null | undefined, execution: Execution): { runId: string; at: number } {
  if (token === null || token === undefined || token.length === 0) return { runId: execution.runId, at: 0 };
  return JSON.parse(Buffer.from(token).toString()) as { runId: string; at: number }; // ours
}

/** Resolves when it is so, or after the time that the server keeps a long poll. */
async function changed(execution: Execution, isSo: () => boolean): Promise<void> {
  const until = Date.now() + LONG_POLL_MS;
  while (!isSo() && Date.now() < until) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, until - Date.now());
      const forget = execution.onChange(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    // The rest of the transaction.
    await Promise.resolve();
  }
}
