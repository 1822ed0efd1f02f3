import type { WaitingCall } from '../../client/index.ts';
import { problemOf } from '../http/problem.ts';
import { failureText } from '../access/failure-text.ts';
import type { Reply } from '../replies/follow-reply.ts';
import type { RunEnd, RunPart } from '../replies/run-parts.ts';
import { createKnownParts } from '../replies/parts-after.ts';
import type { WorkerPart } from '../replies/worker-parts.ts';
import { settledParts } from '../replies/settled-parts.ts';
import { eventText } from '../replies/sse-response.ts';
import type { Approval } from '../start/approvals.ts';
import { createAguiEvents, workerEvent } from './agui-events.ts';
import type { AguiEvent, RunMessage, RunNames } from './agui-types.ts';
import { interruptOf } from './interrupts.ts';
import { idsOf } from './agui-messages.ts';

/** A message as the client has sent it. */
export interface ClientMessage {
  id: string;
  role: string;
  toolCallId?: unknown;
}

export interface AguiClient {
  names: RunNames;
  messages: readonly ClientMessage[];
  /** Waits that the client has answered: the events start after the last one of them. */
  answered: readonly Approval[];
}

const PROTOCOL_VERSION = '1.0';

/**
 * The events of a run as server-sent events, up to the end of the run, or until all its calls wait for a person. An error breaks the
 * connection: the client sends the request again.
 */
export async function* aguiStream(
  { before, open }: { before: AsyncIterable<WorkerPart>; open: () => Promise<Reply> },
  client: AguiClient,
  report: (error: unknown) => void,
): AsyncGenerator<string> {
  let isStarted = false;
  for await (const part of before) {
    if (!isStarted) yield eventText(started(client.names));
    isStarted = true;
    yield eventText(workerEvent(part));
  }
  const reply = await open().catch((error: unknown) => problemOf(error));
  if ('detail' in reply) {
    yield eventText({ type: 'RUN_ERROR', message: reply.detail, code: reply.code });
    return;
  }
  try {
    const events = aguiEvents(reply.view.id, settledParts(reply.parts), client);
    for await (const event of events) {
      if (!isStarted || event.type !== 'RUN_STARTED') yield eventText(event);
    }
  } catch (error) {
    report(error);
    throw error;
  }
}

/** A client that has messages of the run gets a snapshot first, so that nothing is doubled. */
export async function* aguiEvents(
  run: string,
  parts: AsyncIterable<RunPart>,
  { names, messages, answered }: AguiClient,
): AsyncGenerator<AguiEvent> {
  const ids = idsOf(run);
  const own = messages.filter(({ id }) => ids.isOwn(id));
  const results = messages.filter(({ id, toolCallId }) => !ids.isOwn(id) && ids.isOwn(String(toolCallId)));
  const given = new Set(results.map(({ toolCallId }) => String(toolCallId)));
  const events = createAguiEvents(run, given);
  const placeOf = createKnownParts(answered, own.length > 0);
  let isBehind = own.length > 0 || answered.length > 0;
  let isCaughtUp = false;
  yield started(names);
  for await (const part of parts) {
    isCaughtUp ||= part.type === 'caught_up';
    const made = events.next(part);
    const place = placeOf(part);
    if (place === 'known') continue;
    if (isBehind) {
      isBehind = false;
      events.close(); // nothing of these was sent
      if (answered.length === 0 || !hasAll(own)) yield snapshot();
    } else if (made === 'withdrawn') {
      yield* events.close();
      yield snapshot();
    } else yield* made;
    const interrupts = isCaughtUp ? events.interrupts() : [];
    if (part.type !== 'ended' && interrupts.length === 0) continue;
    yield* events.close();
    yield part.type === 'ended' ? endOf(names, part.end) : finished(names, outcomeOf(run, interrupts));
    return;
  }

  function hasAll(known: readonly ClientMessage[]): boolean {
    const sent = events.messages.list().filter((one) => one.role !== 'tool' || !given.has(one.toolCallId));
    const expected = sent.map(({ id }) => id);
    return JSON.stringify(known.map(({ id }) => id)) === JSON.stringify(expected);
  }

  /** All messages of the client, those of the run as the record has them. */
  function snapshot(): AguiEvent {
    const now = events.messages.list();
    const gone = own.filter(({ id, role }) => role === 'reasoning' && now.every((one) => one.id !== id));
    const others = messages.filter((one) => !ids.isOwn(one.id) && !results.includes(one));
    const open = openCallsIn(now);
    // A result of the client that the events have not come to yet is still its message.
    const early = results.filter(({ toolCallId }) => open.has(String(toolCallId)));
    // A snapshot removes no message of reasoning from the client.
    return { type: 'MESSAGES_SNAPSHOT', messages: [...others, ...gone.map(emptied), ...now, ...early] };
  }
}

function started(names: RunNames): AguiEvent {
  return { type: 'RUN_STARTED', ...names, protocolVersion: PROTOCOL_VERSION };
}

/** Ids of the tool calls without a result. */
function openCallsIn(messages: readonly RunMessage[]): Set<string> {
  const ended = new Set(messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : [])));
  const calls = messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
  return new Set(calls.flatMap(({ id }) => (ended.has(id) ? [] : [id])));
}

function emptied({ id }: ClientMessage): ClientMessage & { content: string } {
  return { id, role: 'reasoning', content: '' };
}

type Finished = Extract<AguiEvent, { type: 'RUN_FINISHED' }>;

function finished(names: RunNames, outcome: Finished['outcome']): Finished {
  return { type: 'RUN_FINISHED', ...names, outcome };
}

/** A client that is waited for carries out the calls that it has, and runs the agent again. */
function outcomeOf(run: string, waits: readonly WaitingCall[]): Finished['outcome'] {
  const interrupts = waits.filter(({ reason }) => reason !== 'client_tool');
  if (interrupts.length === 0) return { type: 'success' };
  return { type: 'interrupt', interrupts: interrupts.map((wait) => interruptOf(run, wait)) };
}

function endOf(names: RunNames, { status, output, error }: RunEnd): AguiEvent {
  switch (status) {
    case 'failed':
      return {
        type: 'RUN_ERROR',
        message: failureText(error),
        code: error?.type ?? 'Error',
      };
    case 'cancelled':
      return finished(names, { type: 'cancelled' });
    default:
      return { ...finished(names, { type: 'success' }), ...(output !== null && { result: output }) };
  }
}
