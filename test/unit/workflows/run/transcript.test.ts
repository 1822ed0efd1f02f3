import { describe, expect, test } from 'vitest';
import type { CallModelInput } from '../../../../agent/calls/calls.ts';
import { EMPTY_DIGEST, jsonBytes } from '../../../../agent/values/digest.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import { type Entry, type Mark, START, advance } from '../../../../agent/transcript/entries.ts';
import { visible } from '../../../../agent/transcript/visible.ts';
import {
  type TranscriptWriter,
  append,
  continuedTranscript,
  delivered,
  handOver,
  newTranscript,
  modelCallInput,
  openTranscript,
} from '../../../../workflows/run/transcript.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const agent: Entry = { type: 'agent', manifest: sampleManifest() };
const chatHistory = [{ role: 'user' as const, content: 'Hello.' }];
const question: Entry = { type: 'question', input: 'Who?', chatHistory };
const [first, second, third, fourth] = [step(1), step(2), step(3), step(4)];
const message: Entry = { type: 'message', text: 'Be quick.' };

describe('a transcript', () => {
  test('is known by its length and by what it says, however it was put together', () => {
    const entries = [agent, question, first, second];
    const whole = advance(START, entries);
    expect(whole.length).toBe(4);
    expect(entries.reduce((mark, entry) => advance(mark, [entry]), START)).toEqual(whole);
    expect(advance(START, [])).toEqual(START);
    expect(advance(START, [agent, question, second, first])).not.toEqual(whole);
    expect(advance(START, [agent, question, first, step(2, 'other')])).not.toEqual(whole);
  });

  test('says the same after it went through JSON', () => {
    const entries = [agent, question, first, message];
    expect(advance(START, JSON.parse(JSON.stringify(entries)) as Entry[])).toEqual(advance(START, entries));
  });

  test('is measured as it is sent', () => {
    expect(jsonBytes(step(1, '中"'))).toBe(Buffer.byteLength(JSON.stringify(step(1, '中"'))));
  });

  test.each<[trim: number, seen: Entry[]]>([
    [-1, [question, first, message, second, third]],
    [0, [question, first, message, second, third]],
    [1, [question, message, third]],
    [3, [question, first, message, second, third]],
  ])('trimmed to %i steps hides the steps before, and nothing else', (trim, seen) => {
    const entries = [question, first, message, second, third];
    expect(visible(entries, trim, (entry) => entry)).toEqual(seen);
  });

  test('becomes what a prompt is made of', () => {
    const steps = [stepOf(first), stepOf(second)];
    const shown = { manifest: sampleManifest(), input: 'Who?', chatHistory, variables: {}, closing: false };
    expect(conversation([agent, question, first, second])).toEqual({ ...shown, steps });
  });

  test.each<[what: string, entries: Entry[]]>([
    ['nothing', []],
    ['an agent alone', [agent]],
    ['a question first', [question, agent]],
    ['a step in place of the question', [agent, first]],
  ])('does not begin with %s', (_what, entries) => {
    expect(() => conversation(entries)).toThrow('A transcript starts with its agent and its question.');
  });
});

describe('the calls of a run', () => {
  test('carry what is new, and say what came before', () => {
    const transcript = newTranscript(0, -1, [agent, question]);
    expect(deliver(transcript)).toEqual({ scope: 0, base: 0, prev: EMPTY_DIGEST, delta: [agent, question] });
    append(transcript, [first]);
    append(transcript, [message]);
    const prev = advance(START, [agent, question]).digest;
    expect(deliver(transcript)).toEqual({ scope: 0, base: 2, prev, delta: [first, message] });
    expect(modelCallInput(transcript)).toMatchObject({ base: 4, delta: [] });
  });

  test('carry the same again, and what has come since, after one that failed', () => {
    const transcript = newTranscript(2, -1, [agent, question]);
    const failed = modelCallInput(transcript);
    expect(modelCallInput(transcript)).toEqual(failed);
    append(transcript, [message]);
    expect(modelCallInput(transcript)).toEqual({ ...failed, delta: [agent, question, message] });
    expect(failed.delta, 'what was sent does not change').toEqual([agent, question]);
  });

  test('go on from where the activity says that the transcript stands, whatever a later version would compute', () => {
    const transcript = newTranscript(0, -1, [agent, question]);
    const mark = { length: 2, digest: 'as it was recorded' };
    delivered(transcript, mark.digest);
    append(transcript, [first]);
    expect(modelCallInput(transcript)).toEqual({ scope: 0, base: 2, prev: mark.digest, delta: [first] });
    expect(handOver(transcript, 'run-1')).toMatchObject(mark);
  });

  test('carry step 1,000 at the price of step 5', () => {
    const transcript = newTranscript(0, -1, [agent, question]);
    const sizes = [...Array(1_000).keys()].map((i) => {
      append(transcript, [step(10_000 + i)]);
      return JSON.stringify(deliver(transcript)).length;
    });
    expect(Math.abs((sizes[999] ?? 0) - (sizes[4] ?? 0))).toBeLessThan(10);
  });
});

describe('a run that goes on from another', () => {
  const before = () => {
    const transcript = newTranscript(0, -1, [agent, question]);
    append(transcript, [first]);
    deliver(transcript);
    append(transcript, [second]);
    return transcript;
  };

  test('is told where the transcript so far is, and what of it the model still sees', () => {
    expect(handOver(before(), 'run-1')).toEqual({
      runId: 'run-1',
      ...advance(START, [agent, question, first]),
      entries: [question, first],
    });
  });

  test('knows that earlier agents had other models, in each later execution', () => {
    const second: Entry = { type: 'agent', manifest: { ...sampleManifest(), model: 'another' } };
    const transcript = newTranscript(0, -1, [agent, question, first]);
    append(transcript, [second]);
    deliver(transcript);
    const from = handOver(transcript, 'run-1');
    expect(from.models).toHaveLength(2);
    const begin = { manifest: second.manifest, from };
    const next = openTranscript({ agent: 'second', ...begin }, second.manifest, 1);
    expect(handOver(next, 'run-2').models).toEqual(from.models);
    const read: Entry[] = [{ ...second, models: from.models }, ...(from.entries ?? [])];
    expect(conversation(read).severalModels).toBe(true);
    expect(conversation([second, ...(from.entries ?? [])]).severalModels).toBeUndefined();
  });

  test('says in its first calls where that is, until one has been answered', () => {
    const { entries, ...origin } = handOver(before(), 'run-1');
    const transcript = continuedTranscript(0, -1, origin, entries);
    append(transcript, [second]);
    const { length, digest } = origin;
    const call = { scope: 0, base: length, prev: digest, delta: [second], origin };
    expect(modelCallInput(transcript)).toEqual(call);
    expect(deliver(transcript)).toEqual(call);
    append(transcript, [third]);
    const { digest: prev } = advance(origin, [second]);
    expect(modelCallInput(transcript)).toEqual({ scope: 0, base: 4, prev, delta: [third] });
  });

  test('and that ends before it has called hands on what it was given: nothing is recorded in itself', () => {
    const { entries, ...origin } = handOver(before(), 'run-1');
    const transcript = continuedTranscript(0, -1, origin, entries);
    expect(handOver(transcript, 'run-2')).toEqual({ ...origin, entries });
  });

  test('carries nothing that is too big; the reader then goes to the history', () => {
    const transcript = newTranscript(0, -1, [agent, question]);
    append(transcript, [step(1, 'x'.repeat(limits.carriedBytes / 2))]);
    deliver(transcript);
    expect(handOver(transcript, 'run-1').entries).toHaveLength(2);
    append(transcript, [step(2, '中'.repeat(limits.carriedBytes / 6))]);
    deliver(transcript);
    const { entries, ...origin } = handOver(transcript, 'run-1');
    expect(entries).toBeUndefined();
    const next = continuedTranscript(0, -1, origin, undefined);
    append(next, [third]);
    deliver(next);
    expect(handOver(next, 'run-2')).toEqual({ runId: 'run-2', ...advance(origin, [third]) });
  });

  test('carries nothing beside a reference that it was given itself: that is not what the model saw', () => {
    const { entries, ...origin } = handOver(before(), 'run-1');
    const referring: Entry = { ...step(2), observation: null, ref: { runId: 'run-1', activityId: '2.1' } };
    const next = continuedTranscript(0, -1, origin, entries);
    append(next, [referring]);
    deliver(next);
    append(next, [third]);
    expect(handOver(next, 'run-2')).toEqual({ runId: 'run-2', ...advance(origin, [referring]) });
  });

  test('carries little of much when the model sees the last steps only', () => {
    const transcript = newTranscript(0, 2, [agent, question]);
    for (let i = 1; i <= 50; i++) {
      append(transcript, [step(i, 'x'.repeat(100_000))]);
      deliver(transcript);
    }
    const { entries = [] } = handOver(transcript, 'run-1');
    const kept = entries.map((entry) => (entry.type === 'step' ? entry.call : entry.type));
    expect(kept).toEqual(['question', '49.1', '50.1']);
  });

  // The reader is the model call's activity: it knows only what the calls and the hand-over say.
  test.each([-1, 0, 1, 3])(
    'shows the model what one run would have, trimmed to %i, wherever runs end',
    (trim) => {
      const manifest = sampleManifest({ trimIntermediateSteps: trim });
      const start: Entry[] = [{ type: 'agent', manifest }, question];
      const notes: Entry = { type: 'summary', text: 'notes', keep: 2 };
      const steps = [first, second, message, third, fourth, notes, step(5), step(6)];
      for (let ends = 0; ends < 2 ** steps.length; ends++) {
        let transcript = newTranscript(0, trim, start);
        let reader = read({ mark: START, entries: [] }, deliver(transcript));
        steps.forEach((entry, index) => {
          append(transcript, [entry]);
          if ((ends >> index) % 2 === 1) {
            const { entries, ...origin } = throughJson(handOver(transcript, `run-${index}`));
            reader = { mark: origin, entries: [{ type: 'agent', manifest }, ...(entries ?? [])] };
            transcript = continuedTranscript(0, trim, origin, entries);
            append(transcript, [entry]);
          }
          reader = read(reader, deliver(transcript));
        });
        expect(conversation(reader.entries)).toEqual(conversation([...start, ...steps]));
        expect(reader.mark).toMatchObject(advance(START, [...start, ...steps]));
      }
    },
  );
});

interface Reader {
  mark: Mark;
  entries: Entry[];
}

function read({ mark, entries }: Reader, { base, prev, delta }: CallModelInput): Reader {
  expect({ base, prev }).toEqual({ base: mark.length, prev: mark.digest });
  return { mark: advance(mark, delta), entries: [...entries, ...delta] };
}

/** A model call that is answered. */
function deliver(transcript: TranscriptWriter): CallModelInput {
  const call = throughJson(modelCallInput(transcript));
  const { digest } = advance({ length: call.base, digest: call.prev }, call.delta);
  delivered(transcript, digest);
  return call;
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T; // what Temporal does to it
}

function step(iteration: number, observation = `result ${iteration}`) {
  const action = { tool: 'Search', toolInput: `input ${iteration}`, log: `log ${iteration}` };
  return { type: 'step', call: `${iteration}.1`, action, observation } as const;
}

function stepOf({ action, observation }: ReturnType<typeof step>) {
  return { action, observation };
}
