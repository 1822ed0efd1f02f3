import type { Client } from '@temporalio/client';
import {
  type SessionMessage,
  type SessionState,
  type Summarized,
  checkSessionMessage,
  newSession,
  sessionLimits,
} from '../agent/session/session.ts';
import { withSummary, withTurn } from '../agent/session/turns.ts';
import { type Lineage, type RunResult, clearUpdate, sendUpdate } from '../workflows/messages.ts';
import type { HistoryEvent } from './pages.ts';
import { decodeFirst } from './payloads.ts';

/** A session as its history has it; `running` is the id of the run whose turn it is. */
export interface SessionRecord extends SessionState {
  running: string | null;
}

/** Reads a session out of the events of one run of its workflow, as the workflow itself goes through them. */
export async function recordOf(
  client: Client,
  name: string,
  events: AsyncIterable<HistoryEvent>,
): Promise<SessionRecord> {
  const record: SessionRecord = { ...newSession(name), running: null };
  const inputs = new Map<string, string>();
  const taken = new Set<string>();
  for await (const event of events) await read(event);
  return record;

  async function read(event: HistoryEvent): Promise<void> {
    const started = event.workflowExecutionStartedEventAttributes;
    // The session's one argument, and what each of its messages carries: written by our own client.
    if (started) Object.assign(record, await decodeFirst(client, started.input));
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    if (update?.name === sendUpdate.name) enqueue(await decodeFirst(client, update.args));
    if (update?.name === clearUpdate.name) record.messages = [];
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName === sendUpdate.name) enqueue(await decodeFirst(client, signal.input));
    const summed = event.activityTaskCompletedEventAttributes;
    if (summed) {
      const { summary } = (await decodeFirst(client, summed.result)) as Summarized; // its one activity
      record.messages = withSummary(record.messages, summary);
    }
    await readRun(event);
  }

  function enqueue(value: unknown): void {
    const message = wellFormed(value);
    if (message === undefined || taken.has(message.id)) return;
    if (record.queue.every(({ id }) => id !== message.id)) record.queue.push(message);
  }

  async function readRun(event: HistoryEvent): Promise<void> {
    const begun = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (begun) {
      const { question } = (await decodeFirst(client, begun.input)) as Lineage; // agentRun's one argument
      const id = begun.workflowId ?? '';
      inputs.set(String(event.eventId), question?.input ?? '');
      taken.add(id);
      record.queue = record.queue.filter((message) => message.id !== id);
      record.running = id;
    }
    if (event.childWorkflowExecutionStartedEventAttributes) {
      record.runs = [...record.runs, String(record.running)].slice(-sessionLimits.runs);
    }
    const answered = event.childWorkflowExecutionCompletedEventAttributes;
    if (answered) {
      const { output } = (await decodeFirst(client, answered.result)) as RunResult; // agentRun's own
      const input = inputs.get(String(answered.initiatedEventId)) ?? '';
      record.messages = withTurn(record.messages, input, output, sessionLimits.conversationBytes);
    }
    if (isEnd(event)) record.running = null;
  }
}

/** What a signal brought may be anything; the session leaves out what makes no sense, too. */
function wellFormed(value: unknown): SessionMessage | undefined {
  try {
    return checkSessionMessage(value);
  } catch {
    return undefined;
  }
}

function isEnd(event: HistoryEvent): boolean {
  return Boolean(
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.startChildWorkflowExecutionFailedEventAttributes,
  );
}
