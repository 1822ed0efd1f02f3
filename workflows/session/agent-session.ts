import {
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
import { mediaOf } from '../../agent/values/content.ts';
import { qualifyMediaRefs } from '../../agent/start/media-refs.ts';
import { fieldsOf, withoutNulls } from '../../agent/values/json-object.ts';
import { checkClear, sentData } from '../../agent/rules/sent-data.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
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
import { turnsToFold, withNotes, withTurn } from '../../agent/session/turns.ts';
import { summaryOptions } from '../temporal/activity-options.ts';
import type { agentRun } from '../agent-run.ts';
import { AGENT_RUN, type RecordedResult, ownershipIn, runLabels } from '../messages.ts';
import { ReloopSession, fixedAttributes } from '../web-ui/run-attributes.ts';
import { onSignal } from '../temporal/on-signal.ts';
import { isAlreadyStarted, unlessCancelled } from '../temporal/run-failure.ts';
import { orFailure } from '../checked-input.ts';
import { showConversation } from '../web-ui/current-details.ts';
import {
  type SessionReceipt,
  answeredSignal,
  clearUpdate,
  sendSignal,
  sendUpdate,
  sessionHelp,
} from '../messages.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** A conversation under way. */
interface Session {
  /** State that is carried through continue-as-new. */
  state: SessionState;
  /** The message that is being answered, until its answer is kept. */
  open: SessionMessage | undefined;
  /** Receipts of messages whose run has started, by message id. */
  receipts: Map<string, SessionReceipt>;
  cleared: boolean;
  /** Answer of the open message's run after a retry, if it arrives before the failure of the run's first execution. */
  early: LateAnswer | undefined;
  /** The session is about to continue as new. */
  leaving: boolean;
}

/**
 * The registered workflow of a session. It keeps a conversation and answers one message after the other, each by a separate `agentRun`
 * that gets the conversation. It keeps the answers of runs. A run that fails adds nothing to the conversation, unless it is retried and
 * answers later.
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
      // Waiting senders get a receipt now, and send again to the next run of the session.
      await condition(allHandlersFinished);
      if (session.cleared && state.queue.length === 0) return;
      if (session.leaving) await continueAsNew<typeof agentSession>(state);
    }
    await answerNext(session);
  }
}

/**
 * Reads the session's state. Only continue-as-new brings a state; the next run of a Schedule or a cron brings the input of the first
 * run. Throws InvalidInput as an ApplicationFailure.
 */
function sessionState(sent: readonly unknown[]): SessionState {
  const { workflowId, continuedFromExecutionRunId } = workflowInfo();
  const [state] = sent;
  const isContinued = continuedFromExecutionRunId !== undefined && Array.isArray(fieldsOf(state)['queue']);
  if (isContinued) return state as SessionState; // written below
  return orFailure(() => readSessionStart(sent, workflowId));
}

/** Sets all handlers, before the first `await`. A signal cannot be refused: an invalid signal is logged. */
function setHandlers(session: Session): void {
  const { state, receipts } = session;
  // A message with images is a signal and an update. The signal's handler is set first, so the signal is read first.
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
      const message = withoutNulls({ ...sent }) as unknown as SessionMessage; // checked by the validator
      const { id } = message;
      enqueue(session, message);
      await condition(() => receipts.has(id) || hasStarted(session, id) || session.leaving);
      return receipts.get(id) ?? { id, state: hasStarted(session, id) ? 'existed' : 'queued' };
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
    // The answer may arrive before the failure of the run's first execution.
    else if (answer.id === session.open?.id) session.early = answer;
  });
  setHandler(
    clearUpdate,
    () => {
      state.messages = [];
      state.handedOver = undefined;
      session.cleared = true;
      showConversation(state, session.open);
      return null;
    },
    {
      validator(...sent: unknown[]) {
        checkClear(sentData('clear', sent), workflowInfo().firstExecutionRunId);
        refuseWhileBusy(session);
      },
      description: sessionHelp.clear,
    },
  );
}

/** Adds a message to the queue. A second message with the same id is the same message. */
function enqueue(session: Session, message: SessionMessage): void {
  const { id, input } = message;
  if (isKnown(session, id)) return;
  const { workflowId, runId } = workflowInfo();
  // The images are recorded in this run of the session.
  session.state.queue.push({
    ...message,
    input: qualifyMediaRefs(input, { workflowId, runId, message: id }),
  });
}

function isKnown(session: Session, id: string): boolean {
  const { state, open, receipts } = session;
  if (receipts.has(id) || open?.id === id || hasStarted(session, id)) return true;
  return state.queue.some((waiting) => waiting.id === id);
}

/** Returns true if the message's run was started, perhaps before the session continued as new. */
function hasStarted({ state }: Session, id: string): boolean {
  return state.runs.includes(id);
}

/** Throws an Error for a message that the session does not take. A message that was accepted before is always accepted. */
function checkMessage(session: Session, message: SessionMessage): void {
  if (isKnown(session, message.id)) return;
  checkQueue(session.state.queue, message);
  if (mediaOf(message.input).every(({ ref }) => ref === undefined)) return;
  // The queue was full when the signal with the images arrived.
  throw new Error('send: too many messages waited when the images of this message arrived. Send it again.');
}

function refuseWhileBusy({ open, state }: Session): void {
  const [next] = state.queue;
  if (open !== undefined) throw new Error(`clear: run ${open.id} is not over. Cancel it, or wait for it.`);
  if (next !== undefined)
    throw new Error(`clear: message ${next.id} waits for its turn. Wait for its answer.`);
}

/** Runs the next message, and keeps its answer. */
async function answerNext(session: Session): Promise<void> {
  const { state } = session;
  const message = state.queue.shift();
  if (message === undefined) return;
  session.open = message;
  session.cleared = false;
  showConversation(state, message);
  const result = await run(session, message);
  if (result !== undefined) {
    keepHandoff(state, message, result);
    state.messages = withTurn(state.messages, message.input, result, sessionLimits.conversationBytes);
    await summarize(state, message, result);
  } else {
    state.unanswered = withUnanswered(state, message);
    if (session.early !== undefined) Object.assign(state, withLateAnswer(state, session.early));
  }
  session.early = undefined;
  session.open = undefined;
}

/** The agent that has the conversation answers the next message to the agent that handed it over. */
function keepHandoff(state: SessionState, { agent }: SessionMessage, result: RecordedResult): void {
  if (result.agent !== undefined) state.handedOver = { ...state.handedOver, [agent]: result.agent };
}

/** Starts the message's run and waits for its result. undefined: the run failed or was ended, or another run had the id. */
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

/** Starts a run as an abandoned child: the end or cancellation of the session does not affect it. */
function startRun(
  { name, messages, handedOver }: SessionState,
  { id, agent: asked, input, overrides, variables, traceparent: trace, by }: SessionMessage,
) {
  const agent = handedOver?.[asked] ?? asked;
  const runInput: AgentRunInput = {
    agent,
    session: name,
    question: { input, chatHistory: messages, variables },
    overrides,
    trace,
    by,
  };
  // The server knows the attributes if it accepted the session's.
  const areKnown = workflowInfo().typedSearchAttributes.get(ReloopSession) !== undefined;
  const attributes = areKnown
    ? { typedSearchAttributes: fixedAttributes({ agent, session: name, tags: overrides?.tags }) }
    : {};
  return startChild<typeof agentRun>(AGENT_RUN, {
    workflowId: id,
    args: [runInput],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    ...runLabels(agent, input, overrides, { ...ownershipIn(workflowInfo().memo), askedBy: by }),
    ...attributes,
  });
}

/** Replaces a conversation that is too long for the agent's memory by a summary and the last exchange. Keeps it if that fails. */
async function summarize(
  state: SessionState,
  { agent: asked, overrides }: SessionMessage,
  { agent = asked, memory, modelQueue }: RecordedResult,
): Promise<void> {
  const fold = turnsToFold(state.messages, memory);
  if (fold === undefined) return;
  const { summarizeConversation } = proxyActivities<{
    summarizeConversation(input: SummarizeInput): Promise<Summarized>;
  }>({ summary: agent, ...summaryOptions(modelQueue) });
  const summarized = await unlessCancelled(summarizeConversation({ agent, ...fold, overrides }));
  if (summarized !== undefined) Object.assign(state, withNotes(state, summarized));
}

/** Returns true if Temporal suggests continue-as-new and the state fits into one payload. A longer queue is answered first. */
function shouldContinueAsNew(state: SessionState): boolean {
  return workflowInfo().continueAsNewSuggested && jsonBytes(state) <= limits.resultBytes;
}
