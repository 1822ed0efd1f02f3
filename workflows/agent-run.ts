import {
  allHandlersFinished,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { ResolvedAgent } from '../agent/calls.ts';
import type { WaitingCall } from '../agent/events.ts';
import { limits } from '../agent/limits.ts';
import { statusOf } from '../agent/run-result.ts';
import type { RunStatus } from '../agent/vocabulary.ts';
import { sessionId } from '../agent/session/session.ts';
import { type AgentRunInput, type RecordedResult, answeredSignal, childWaitingSignal } from './messages.ts';
import { endStatus } from './agents.ts';
import { runToEnd } from './run-agent.ts';
import { type AgentLoop, hasWaitsInMemo } from './agent-loop.ts';
import { isContinueDue } from './continue-due.ts';
import { isContinueAsNew } from './run-failure.ts';
import { recordWaiting } from './status.ts';
import { type StatusWriter, statusWriter } from './status-writer.ts';
import { abroad } from '../agent/transcript/entries.ts';
import { handOver } from './transcript.ts';
import { type Turn, deltaEntries } from './turn.ts';

/** The registered workflow: one agent run, as long as it takes. */
export async function agentRun(input: AgentRunInput): Promise<RecordedResult> {
  let writeStatus: StatusWriter = () => undefined;
  let writeWaiting = recordWaiting;
  // What the run before waited for.
  if (input.restart !== undefined) tellParent(input, []);
  const end = (status: RunStatus) => {
    writeStatus(status);
    endStatus(status);
  };
  try {
    const result = await runToEnd(input, {
      resolved(resolved) {
        if (!hasWaitsInMemo(resolved.manifest)) writeWaiting = () => undefined;
        writeStatus = statusWriter(resolved, input);
        writeStatus('running');
      },
      status: (status) => writeStatus(status),
      waiting(calls) {
        writeWaiting(calls);
        tellParent(input, calls);
      },
      betweenTurns: (loop, resolved, lastTurn) => continueWhenLong(input, loop, resolved, lastTurn),
    });
    await tellSession(input, result);
    end(statusOf(result.stopReason));
    return result;
  } catch (failure) {
    if (isContinueAsNew(failure)) throw failure;
    end(isCancellation(failure) ? 'cancelled' : 'failed');
    throw failure;
  }
}

/** Between turns nothing is open: no call, no wait for a person, no unanswered update, nothing said that was not seen. */
function continueWhenLong(
  input: AgentRunInput,
  loop: AgentLoop,
  { manifest, searchAttributes, events }: ResolvedAgent,
  lastTurn: Turn,
): Promise<never> | undefined {
  if (!isContinueDue() || !allHandlersFinished() || !loop.inbox.isEmpty) return undefined;
  const { runId } = workflowInfo();
  const pending = abroad(deltaEntries(lastTurn, limits.handOverBytes), runId);
  return continueAsNew<typeof agentRun>({
    agent: input.agent,
    caller: input.caller,
    session: input.session,
    recorded: loop.recorded,
    root: loop.root,
    manifest,
    searchAttributes,
    events: events || undefined,
    from: handOver(loop.transcript, runId, pending),
    pending,
    counters: loop.counters,
    done: loop.done.length === 0 ? undefined : [...loop.done],
  });
}

/** A session may have gone on without a run that was to end otherwise: it hears of the answer. */
async function tellSession({ restart, session }: AgentRunInput, { output }: RecordedResult): Promise<void> {
  if (restart === undefined || session === undefined) return;
  const { workflowId: id } = workflowInfo();
  const told = getExternalWorkflowHandle(sessionId(session)).signal(answeredSignal, { id, output });
  await told.catch((failure: unknown) => {
    if (isCancellation(failure)) throw failure; // any other: the session is over
  });
}

/** Signals the parent, so that its own status and trace show that the sub-agent waits. */
function tellParent({ caller }: AgentRunInput, waiting: WaitingCall[]): void {
  const { parent, workflowId } = workflowInfo();
  if (caller === undefined) return;
  // One that was rewound is nobody's child, but its parent waits for it all the same.
  const to = parent?.workflowId ?? workflowId.slice(0, -`/${caller}`.length);
  const told = getExternalWorkflowHandle(to).signal(childWaitingSignal, {
    caller,
    parks: waiting,
  });
  told.catch(() => undefined); // a parent that is gone needs no news
}
