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
import { withSummary, withTurn } from '../../agent/session/turns.ts';
import { answeredSignal, clearUpdate, sendUpdate } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { asRunInput, asRunResult, asSummarized } from '../read/records.ts';

/** A session as its history has it; `running` is the id of the run whose turn it is. */
export interface SessionRecord extends SessionState {
  running: string | null;
}

/** Reads a session out of the facts of one run of its workflow, as the workflow itself goes through them. */
export async function recordOf(name: string, facts: AsyncIterable<Fact>): Promise<SessionRecord> {
  const reading: Reading = {
    record: { ...newSession(name), running: null },
    inputs: new Map(),
    taken: new Set(),
  };
  for await (const fact of facts) await read(reading, fact);
  return reading.record;
}

interface Reading {
  record: SessionRecord;
  /** The question of each run, by its id and by the fact that began it, or the wait for it. */
  inputs: Map<string, Content>;
  /** Runs that have had their turn. */
  taken: Set<string>;
}

async function read(reading: Reading, fact: Fact): Promise<void> {
  const { record } = reading;
  // The session's one argument; a person may leave it out, or fields of it.
  if (fact.type === 'started') Object.assign(record, withoutNulls(fieldsOf(await fact.input())));
  if (fact.type === 'update_accepted' || fact.type === 'signaled') {
    if (fact.name === sendUpdate.name) enqueue(reading, await fact.input());
    if (fact.type === 'signaled' && fact.name === answeredSignal.name) answered(record, await fact.input());
    if (fact.type === 'update_accepted' && fact.name === clearUpdate.name) record.messages = [];
  }
  if (fact.type === 'succeeded' && fact.of === 'activity') {
    const summed = asSummarized(await fact.result());
    if (summed !== undefined) record.messages = withSummary(record.messages, summed.summary);
  }
  await readTurn(reading, fact);
}

function enqueue({ record, taken }: Reading, value: unknown): void {
  const message = wellFormed(value);
  if (message === undefined || taken.has(message.id) || record.runs.includes(message.id)) return;
  const isNew = record.queue.every(({ id }) => id !== message.id);
  if (isNew && fitsQueue(record.queue, message)) record.queue.push(message);
}

function answered(record: SessionRecord, value: unknown): void {
  const answer = asLateAnswer(value);
  if (answer !== undefined) Object.assign(record, withLateAnswer(record, answer));
}

/** A turn is a child workflow: the run. */
async function readTurn({ record, inputs, taken }: Reading, fact: Fact): Promise<void> {
  if (!('of' in fact) || fact.of !== 'child') return;
  switch (fact.type) {
    case 'scheduled': {
      const id = fact.workId;
      const input = asRunInput(await fact.input())?.question?.input ?? '';
      inputs.set(fact.key, input).set(id, input);
      taken.add(id);
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
        record.messages = withTurn(record.messages, input, result.output, sessionLimits.conversationBytes);
      record.running = null;
      return;
    }
    case 'failed':
    case 'cancelled':
      unansweredBy(record, inputs.get(fact.key));
  }
}

function unansweredBy(record: SessionRecord, input: Content = ''): void {
  record.unanswered = withUnanswered(record, { id: String(record.running), input });
  record.running = null;
}

/** A signal may carry anything; messages that the session itself would refuse are left out here too. */
function wellFormed(value: unknown): SessionMessage | undefined {
  try {
    return checkSessionMessage(value);
  } catch {
    return undefined;
  }
}
