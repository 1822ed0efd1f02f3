import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { imagesOf } from '../../agent/values/content.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import { fieldsOf, withoutNulls } from '../../agent/values/json-object.ts';
import { noData, sentData } from '../../agent/rules/sent-data.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { limits } from '../../agent/values/limits.ts';
import {
  type SessionMessage,
  type SessionState,
  type SummarizeInput,
  type Summarized,
  checkQueue,
  checkSessionMessage,
  sessionLimits,
} from '../../agent/session/session.ts';
import {
  type LateAnswer,
  asLateAnswer,
  withLateAnswer,
  withUnanswered,
} from '../../agent/session/late-answers.ts';
import { readSessionStart } from '../../agent/session/session-start.ts';
import { turnsToFold, withSummary, withTurn } from '../../agent/session/turns.ts';
import { runnerOptions } from '../temporal/activity-options.ts';
import type { agentRun } from '../agent-run.ts';
import { AGENT_RUN, type AgentRunInput, type RecordedResult, runLabels } from '../messages.ts';
import { ReloopSession, fixedAttributes } from '../web-ui/run-attributes.ts';
import { onSignal } from '../temporal/on-signal.ts';
import { isAlreadyStarted } from '../temporal/run-failure.ts';
import { orFailure } from '../run-input.ts';
import { showConversation } from '../web-ui/current-details.ts';
import {
  type SessionReceipt,
  answeredSignal,
  clearUpdate,
  sendSignal,
  sendUpdate,
  sessionHelp,
} from '../session-messages.ts';

/** A conversation under way. */
interface Session {
  /** What goes along over continue-as-new. */
  state: SessionState;
  /** The message whose turn it is, until its answer is kept. */
  open: SessionMessage | undefined;
  /** By message id, once its run has started. */
  receipts: Map<string, SessionReceipt>;
  cleared: boolean;
  /** Of the open message: its run was retried and has an answer, and is not known to have failed yet. */
  early: LateAnswer | undefined;
  /** The next thing is to continue as new. */
  leaving: boolean;
}

/**
 * The registered workflow of a session: it keeps a conversation and runs one message after the other, each an `agentRun` of
 * its own that is shown the conversation. What a run answers is kept; a run that fails leaves no trace here,
 * unless it is retried and has an answer after all.
 */
export async function agentSession(...sent: [(SessionState | { name: string })?]): Promise<void> {
  const state = sessionState(sent);
  const session: Session = {
    state,
    open: undefined,
    receipts: new Map(),
    cleared: false,
    early: undefined,
    leaving: false,
  };
  setHandlers(session);
  for (;;) {
    session.leaving = shouldContinueAsNew(state);
    showConversation(state, undefined);
    await condition(() => session.leaving || session.cleared || state.queue.length > 0);
    if (session.leaving || state.queue.length === 0) {
      // Senders that still wait get an answer now, and send again to the next run.
      await condition(allHandlersFinished);
      if (session.cleared && state.queue.length === 0) return;
      if (session.leaving) await continueAsNew<typeof agentSession>(state);
    }
    await takeTurn(session);
  }
}

/** Only its own workflow hands a conversation on: a Schedule or a cron's next run brings what the first one was started with. */
function sessionState(sent: readonly unknown[]): SessionState {
  const { workflowId, continuedFromExecutionRunId } = workflowInfo();
  const [state] = sent;
  const isHandedOn = continuedFromExecutionRunId !== undefined && Array.isArray(fieldsOf(state)['queue']);
  if (isHandedOn) return state as SessionState; // written below
  return orFailure(() => readSessionStart(sent, workflowId));
}

/** Set before the first `await`, as every handler. A signal cannot be refused: one that makes no sense is logged. */
function setHandlers(session: Session): void {
  const { state, receipts } = session;
  // A message with images is a signal and then an update: the signals are read first.
  onSignal(
    sendSignal,
    (sent, ...images) => {
      const message = checkSessionMessage(sent, images.length);
      if (!isKnown(session, message.id)) checkQueue(state.queue, message);
      return message;
    },
    (message) => enqueue(session, message),
    sessionHelp.send,
  );
  setHandler(
    sendUpdate,
    async (sent) => {
      const message = withoutNulls({ ...sent }) as unknown as SessionMessage; // the validator has looked at it
      const { id } = message;
      enqueue(session, message);
      await condition(() => receipts.has(id) || hasHadTurn(session, id) || session.leaving);
      return receipts.get(id) ?? { id, state: hasHadTurn(session, id) ? 'existed' : 'queued' };
    },
    {
      validator: (...sent: unknown[]) => checkMessage(session, checkSessionMessage(sentData('send', sent))),
      description: sessionHelp.send,
    },
  );
  onSignal(answeredSignal, asLateAnswer, (answer) => {
    const kept = withLateAnswer(state, answer);
    if (kept !== undefined) {
      Object.assign(state, kept);
      showConversation(state, session.open);
    }
    // The news that its run had failed may come after it.
    else if (answer.id === session.open?.id) session.early = answer;
  });
  setHandler(
    clearUpdate,
    () => {
      state.messages = [];
      session.cleared = true;
      showConversation(state, session.open);
      return null;
    },
    {
      validator(...sent: unknown[]) {
        noData('clear', sentData('clear', sent), 'session');
        refuseWhileBusy(session);
      },
      description: sessionHelp.clear,
    },
  );
}

/** The same id again is the same message. */
function enqueue(session: Session, message: SessionMessage): void {
  const { id, input } = message;
  if (isKnown(session, id)) return;
  const { workflowId, runId } = workflowInfo();
  // Its images are recorded with it, here, and stay here.
  session.state.queue.push({
    ...message,
    input: qualifyImageRefs(input, { workflowId, runId, message: id }),
  });
}

function isKnown(session: Session, id: string): boolean {
  const { state, open, receipts } = session;
  if (receipts.has(id) || open?.id === id || hasHadTurn(session, id)) return true;
  return state.queue.some((waiting) => waiting.id === id);
}

/** Its run was started, perhaps before the session continued as new. */
function hasHadTurn({ state }: Session, id: string): boolean {
  return state.runs.includes(id);
}

/** A message that was accepted is not refused when it is sent again. Throws a plain Error for one that is not taken. */
function checkMessage(session: Session, message: SessionMessage): void {
  if (isKnown(session, message.id)) return;
  checkQueue(session.state.queue, message);
  if (imagesOf(message.input).every(({ ref }) => ref === undefined)) return;
  // The signal that brought its images was refused.
  throw new Error('send: too many messages waited when the images of this one came. Send it again.');
}

function refuseWhileBusy({ open, state }: Session): void {
  const [next] = state.queue;
  if (open !== undefined) throw new Error(`clear: run ${open.id} is not over. Cancel it, or wait for it.`);
  if (next !== undefined)
    throw new Error(`clear: message ${next.id} waits for its turn. Wait for its answer.`);
}

/** One message: its run, and what is kept of it. */
async function takeTurn(session: Session): Promise<void> {
  const { state } = session;
  const message = state.queue.shift();
  if (message === undefined) return;
  session.open = message;
  session.cleared = false;
  showConversation(state, message);
  const result = await run(session, message);
  if (result !== undefined) {
    state.messages = withTurn(state.messages, message.input, result.output, sessionLimits.conversationBytes);
    await sumUp(state, message, result);
  } else {
    state.unanswered = withUnanswered(state, message);
    if (session.early !== undefined) Object.assign(state, withLateAnswer(state, session.early));
  }
  session.early = undefined;
  session.open = undefined;
}

/** undefined when there is nothing to keep: the run failed, was cancelled or ended by force, or is not ours. */
async function run(
  { state, receipts }: Session,
  message: SessionMessage,
): Promise<RecordedResult | undefined> {
  const { id } = message;
  const child = await startRun(state, message).catch((failure: unknown) => {
    if (isAlreadyStarted(failure)) return undefined;
    throw failure;
  });
  if (child === undefined) {
    receipts.set(id, { id, state: 'existed' });
    return undefined;
  }
  receipts.set(id, { id, state: 'started', runId: child.firstExecutionRunId });
  state.runs = [...state.runs, id].slice(-sessionLimits.runs);
  return unlessCancelled(child.result());
}

/** A run is a workflow of its own: whatever happens to the session does not touch it. */
function startRun(
  { name, messages }: SessionState,
  { id, agent, input, overrides, variables }: SessionMessage,
) {
  const runInput: AgentRunInput = {
    agent,
    session: name,
    question: { input, chatHistory: messages, variables },
    overrides,
  };
  // The server has accepted the session's own.
  const areKnown = workflowInfo().typedSearchAttributes.get(ReloopSession) !== undefined;
  const attributes = areKnown ? { typedSearchAttributes: fixedAttributes(agent, name) } : {};
  return startChild<typeof agentRun>(AGENT_RUN, {
    workflowId: id,
    args: [runInput],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    ...runLabels(agent, input),
    ...attributes,
  });
}

/** More than any agent has; the runner in activities/ knows the agent's own number of attempts. */
const SUMMARY_ATTEMPTS = 20;

/** A conversation that has grown too long for its memory becomes a summary and its last turn; if that fails, it stays. */
async function sumUp(
  state: SessionState,
  { agent, overrides }: SessionMessage,
  { memory }: RecordedResult,
): Promise<void> {
  const fold = turnsToFold(state.messages, memory);
  if (fold === undefined) return;
  const { summarizeConversation } = proxyActivities<{
    summarizeConversation(input: SummarizeInput): Promise<Summarized>;
  }>({ summary: agent, ...runnerOptions(SUMMARY_ATTEMPTS, limits.modelAttemptMs) });
  const summarized = await unlessCancelled(summarizeConversation({ agent, ...fold, overrides }));
  if (summarized !== undefined) state.messages = withSummary(state.messages, summarized.summary);
}

/** undefined for a failure, which is the part's own affair; the cancellation of the session ends it. */
async function unlessCancelled<T>(part: Promise<T>): Promise<T | undefined> {
  try {
    return await part;
  } catch (failure) {
    if (CancellationScope.current().consideredCancelled) throw failure;
    return undefined;
  }
}

/** More messages than fit into one payload are worked off first. */
function shouldContinueAsNew(state: SessionState): boolean {
  return workflowInfo().continueAsNewSuggested && utf8Length(JSON.stringify(state)) <= limits.resultBytes;
}
