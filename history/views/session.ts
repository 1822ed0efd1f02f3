import type { Content } from '../../agent/values/content.ts';
import { fieldsOf, withoutNulls } from '../../agent/values/json-object.ts';
import {
  type SessionMessage,
  type SessionState,
  checkSessionMessage,
  fitsQueue,
  newSession,
  sessionLimits,
} from '../../agent/session/session.ts';
import { asLateAnswer, withLateAnswer, withUnanswered } from '../../agent/session/late-answers.ts';
import { withNotes, withTurn } from '../../agent/session/turns.ts';
import { answeredSignal, clearUpdate, sendUpdate } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { asRunResult, asSummarized } from '../read/records.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

/** State of a session in its history. `running`: id of the run that is answering. */
export interface SessionRecord extends SessionState {
  running: string | null;
}

/** Reads a session from the facts of one run of its workflow, by the same rules as the workflow. */
export async function recordOf(name: string, facts: AsyncIterable<Fact>): Promise<SessionRecord> {
  const reading: Reading = {
    record: { ...newSession(name), running: null },
    inputs: new Map(),
    started: new Set(),
  };
  for await (const fact of facts) await read(reading, fact);
  return reading.record;
}

interface Reading {
  record: SessionRecord;
  /** Question of each run, by the run's id and by the key of its facts. */
  inputs: Map<string, Content>;
  /** Ids of the runs that have started. */
  started: Set<string>;
}

async function read(reading: Reading, fact: Fact): Promise<void> {
  const { record } = reading;
  // The session's one argument. A person who starts the session by hand may leave it out, or some fields.
  if (fact.type === 'started') Object.assign(record, withoutNulls(fieldsOf(await fact.input())));
  if (fact.type === 'update_accepted' || fact.type === 'signaled') {
    if (fact.name === sendUpdate.name) enqueue(reading, await fact.input());
    if (fact.type === 'signaled' && fact.name === answeredSignal.name)
      addLateAnswer(record, await fact.input());
    if (fact.type === 'update_accepted' && fact.name === clearUpdate.name) record.messages = [];
  }
  if (fact.type === 'succeeded' && fact.of === 'activity') {
    const summed = asSummarized(await fact.result());
    if (summed !== undefined) Object.assign(record, withNotes(record, summed));
  }
  await readRun(reading, fact);
}

function enqueue({ record, started }: Reading, value: unknown): void {
  const message = wellFormed(value);
  if (message === undefined || started.has(message.id) || record.runs.includes(message.id)) return;
  const isNew = record.queue.every(({ id }) => id !== message.id);
  if (isNew && fitsQueue(record.queue, message)) record.queue.push(message);
}

function addLateAnswer(record: SessionRecord, value: unknown): void {
  const answer = asLateAnswer(value);
  if (answer !== undefined) Object.assign(record, withLateAnswer(record, answer));
}

/** Reads the facts of a child workflow: the run that answers a question. */
async function readRun({ record, inputs, started }: Reading, fact: Fact): Promise<void> {
  if (!('of' in fact) || fact.of !== 'child') return;
  switch (fact.type) {
    case 'scheduled': {
      const id = fact.workId;
      const input = asRunInput(await fact.input())?.question?.input ?? '';
      inputs.set(fact.key, input).set(id, input);
      started.add(id);
      record.queue = record.queue.filter((message) => message.id !== id);
      record.running = id;
      return;
    }
    case 'begun':
      record.runs = [...record.runs, String(record.running)].slice(-sessionLimits.runs);
      return;
    case 'succeeded': {
      const result = asRunResult(await fact.result());
      const input = inputs.get(fact.key) ?? '';
      if (result !== undefined)
        record.messages = withTurn(record.messages, input, result, sessionLimits.conversationBytes);
      record.running = null;
      return;
    }
    case 'failed':
    case 'cancelled':
      addUnanswered(record, inputs.get(fact.key));
  }
}

function addUnanswered(record: SessionRecord, input: Content = ''): void {
  record.unanswered = withUnanswered(record, { id: String(record.running), input });
  record.running = null;
}

/** Reads a message; undefined for a message that the session refuses. A signal may carry any value. */
function wellFormed(value: unknown): SessionMessage | undefined {
  try {
    return checkSessionMessage(value);
  } catch {
    return undefined;
  }
}
