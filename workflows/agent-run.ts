import {
  CancellationScope,
  allHandlersFinished,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { markedAnswer } from '../agent/observation/output.ts';
import type { ResolvedAgent } from '../agent/calls/calls.ts';
import { limits } from '../agent/values/limits.ts';
import { ResultSteps } from './run/result-steps.ts';
import { statusOf } from '../agent/run/run-result.ts';
import type { RunStart } from '../agent/start/run-start.ts';
import type { RunStatus } from '../agent/values/vocabulary.ts';
import { sessionId } from '../agent/session/session.ts';
import { type RecordedResult, answeredSignal } from './messages.ts';
import { setEndStatus } from './loop/agent-registry.ts';
import { readFailure } from '../agent/calls/failures.ts';
import { Announcer } from './operator/announce.ts';
import { ParentNews } from './operator/parent-news.ts';
import { runToEnd } from './loop/run-agent.ts';
import type { AgentLoop } from './run/agent-loop.ts';
import { continueExecution, mustContinueAsNew, shouldContinueAsNew } from './temporal/code-version.ts';
import { isContinueAsNew } from './temporal/run-failure.ts';
import { runInput } from './checked-input.ts';
import { waitingRecorder } from './web-ui/current-details.ts';
import { type StatusWriter, statusWriter } from './web-ui/run-attributes.ts';
import { withRunId } from '../agent/transcript/entries.ts';
import { appendLateResults } from './run/late-results.ts';
import { handOver } from './run/transcript.ts';
import { type Turn, deltaEntries } from './run/turn.ts';
import { carry } from '../agent/run/carry.ts';
import { type AgentRunInput, isFreshStart } from '../agent/run/run-input.ts';

/** The registered workflow of one agent run. */
export async function agentRun(
  start: RunStart | AgentRunInput,
  ...images: Uint8Array[]
): Promise<RecordedResult> {
  const input = runInput(start, images);
  let writeStatus: StatusWriter = () => undefined;
  const writeWaiting = waitingRecorder();
  const parent = new ParentNews(input);
  const announcer = new Announcer(input);
  // No other workflow records the result.
  const steps = isFreshStart(input) && workflowInfo().parent === undefined ? new ResultSteps() : undefined;
  const end = (status: RunStatus) => {
    writeStatus(status);
    setEndStatus(status);
  };
  try {
    const result = await runToEnd(input, {
      resolved(resolved) {
        writeStatus = statusWriter(resolved.searchAttributes, { ...input, tags: resolved.manifest.tags });
        writeStatus('running');
        announcer.resolved(resolved.manifest);
        steps?.resolved(resolved.manifest);
      },
      status: (status) => writeStatus(status),
      waiting(calls) {
        writeWaiting(calls);
        parent.report(calls);
        announcer.waits(calls);
      },
      event: steps && ((event) => steps.add(event)),
      cancelled: (usage) => parent.reportUsage(usage),
      betweenTurns(loop, resolved, lastTurn) {
        const isFull = loop.background.isOpen && (mustContinueAsNew() || isFullOfWords(loop));
        if (!isFull && !mayContinue(loop)) return undefined;
        const next = () => continueRun(input, loop, resolved, lastTurn);
        const isReady = () => parent.isSent && announcer.isSent && !(isFull && loop.background.isOpen);
        return isReady() ? next() : condition(isReady).then(() => mayContinue(loop) && next());
      },
    });
    await tellSession(input, result);
    const status = statusOf(result.stopReason);
    end(status);
    await announcer.end(status, { result });
    const intermediateSteps = steps?.all;
    return intermediateSteps === undefined ? result : { ...result, intermediateSteps };
  } catch (failure) {
    if (isContinueAsNew(failure)) throw failure;
    const status = isCancellation(failure) ? 'cancelled' : 'failed';
    end(status);
    await announcer.end(status, status === 'failed' ? { error: readFailure(failure).error } : {});
    throw failure;
  }
}

/** Returns true if the run may continue as new between two turns: no unfinished update, no unread message, no background call, no pause, and no rewind. */
function mayContinue({ inbox, pause, rewindTo, taken, background }: AgentLoop): boolean {
  if (!shouldContinueAsNew() && !isFullOfWords({ taken })) return false;
  // The next run would not know of a cancellation, or of a pause.
  if (CancellationScope.current().consideredCancelled) return false;
  if (background.isOpen) return false;
  return allHandlersFinished() && inbox.isEmpty && !pause.isOn && rewindTo === undefined;
}

/** Temporal takes a number of updates in one execution. */
function isFullOfWords({ taken }: Pick<AgentLoop, 'taken'>): boolean {
  return taken.counted >= limits.wordsToContinue;
}

function continueRun(
  input: AgentRunInput,
  loop: AgentLoop,
  { searchAttributes, events, trace }: ResolvedAgent,
  lastTurn: Turn,
): Promise<never> {
  const { runId } = workflowInfo();
  appendLateResults(loop);
  const handedOver = loop.transcript.pending.filter(({ type }) => type === 'agent' || type === 'late');
  const turn = deltaEntries(lastTurn, limits.handOverBytes);
  const pending = withRunId([...turn, ...handedOver], runId);
  const state = {
    ...input,
    searchAttributes,
    events: events || undefined,
    trace,
    recorded: loop.recorded,
    root: loop.root,
    manifest: loop.manifest,
    agents: loop.agents.named.values(),
    from: handOver(loop.transcript, runId, pending),
    pending,
    counters: loop.counters,
    done: [...loop.done],
    firstN: loop.firstN,
    takenWords: loop.taken.repeatable(),
  };
  return continueExecution<typeof agentRun>(carry(state, 'continue'));
}

/** Sends the answer of a restarted run to its session, which has continued without it. Other runs are children of the session. */
async function tellSession({ session }: AgentRunInput, result: RecordedResult): Promise<void> {
  const output = markedAnswer(result);
  const { workflowId: id, parent } = workflowInfo();
  if (session === undefined || parent !== undefined) return;
  const sent = getExternalWorkflowHandle(sessionId(session)).signal(answeredSignal, { id, output });
  await sent.catch((failure: unknown) => {
    if (isCancellation(failure)) throw failure; // other failures: the session is closed
  });
}
