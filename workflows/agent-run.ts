import {
  allHandlersFinished,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { ResolvedAgent } from '../agent/calls.ts';
import type { Park } from '../agent/events.ts';
import { limits } from '../agent/limits.ts';
import { statusOf } from '../agent/status.ts';
import { type Turn, travelling } from './act.ts';
import { type Lineage, type RunResult, childWaitingSignal } from './messages.ts';
import { runLineage } from './run-agent.ts';
import type { AgentLoop } from './run-state.ts';
import { isContinueAsNew } from './tell.ts';
import { type StatusWriter, statusWriter } from './status.ts';
import { handOver } from './transcript.ts';

/** The registered workflow: one agent run, as long as it takes. */
export async function agentRun(lineage: Lineage): Promise<RunResult> {
  let writeStatus: StatusWriter = () => undefined;
  try {
    const result = await runLineage(lineage, {
      resolved({ searchAttributes }) {
        writeStatus = statusWriter(searchAttributes, lineage);
        writeStatus('running');
      },
      waiting(parks) {
        writeStatus(parks.length > 0 ? 'waiting' : 'running');
        tellParent(lineage, parks);
      },
      betweenTurns: (loop, resolved, lastTurn) => continueWhenLong(lineage, loop, resolved, lastTurn),
    });
    writeStatus(statusOf(result.stopReason));
    return result;
  } catch (failure) {
    if (isContinueAsNew(failure)) throw failure;
    writeStatus(isCancellation(failure) ? 'cancelled' : 'failed');
    throw failure;
  }
}

/** Between turns nothing is open: no call, no park, no unanswered update. */
function continueWhenLong(
  lineage: Lineage,
  loop: AgentLoop,
  { manifest, searchAttributes, events }: ResolvedAgent,
  lastTurn: Turn,
): Promise<never> | undefined {
  if (!workflowInfo().continueAsNewSuggested || !allHandlersFinished()) return undefined;
  const from = handOver(loop.transcript, workflowInfo().runId);
  return continueAsNew<typeof agentRun>({
    agent: lineage.agent,
    ...(lineage.caller === undefined ? {} : { caller: lineage.caller }),
    ...(lineage.session === undefined ? {} : { session: lineage.session }),
    root: loop.root,
    manifest,
    searchAttributes,
    ...(events ? { events } : {}),
    from,
    pending: travelling(lastTurn, limits.handOverBytes),
    counters: loop.counters,
  });
}

/** Whoever watches the parent has to see that its sub-agent waits. */
function tellParent({ caller }: Lineage, parks: Park[]): void {
  const { parent } = workflowInfo();
  if (caller === undefined || parent === undefined) return;
  const told = getExternalWorkflowHandle(parent.workflowId).signal(childWaitingSignal, { caller, parks });
  told.catch(() => undefined); // a parent that is gone needs no news
}
