import { describe, expect, test } from 'vitest';
import type { CallModelInput } from '../../agent/calls.ts';
import { type TranscriptSource, readTranscripts, rebuildTranscript } from '../../history/transcript.ts';
import { observationIn } from '../../agent/transcript/state.ts';
import { type Entry, type Mark, START, advance } from '../../agent/transcript/entries.ts';
import type { Json } from '../../agent/vocabulary.ts';
import { sampleManifest } from '../support/manifest.ts';

type Event = ReturnType<typeof ended> | ReturnType<typeof scheduled> | ReturnType<typeof started>;

const manifest = sampleManifest();
const beginning: Entry[] = [
  { type: 'agent', manifest },
  { type: 'question', input: 'why?', chatHistory: [] },
];
const begun = advance(START, beginning);
const one = referring('1.1');
const afterOne = advance(begun, [one]);

describe('a model call that refers to a result', () => {
  const asked = [started(), asks('1', START, beginning), ...runs('1.1', 'eins'), asks('2', begun, [one])];

  test('is shown it', async () => {
    expect(await observations(asked)).toEqual([[], ['eins']]);
  });

  test('is shown it again when it is scheduled again', async () => {
    const again = [asks('2~1', begun, [one]), asks('2~2', begun, [one]), asks('3', afterOne, [])];
    expect(await observations([...asked, ...again])).toEqual([[], ['eins'], ['eins'], ['eins'], ['eins']]);
  });

  test('finds it when another agent of the workflow was asked in between', async () => {
    const before = asked.slice(0, -1);
    const other = asks('1/1', START, beginning);
    expect(await observations([...before, other, asks('2', begun, [one])])).toEqual([[], [], ['eins']]);
  });

  test('finds it in the run before', async () => {
    const goesOn = started({ manifest, from: { runId: 'run', ...begun } }, 'next');
    expect(await observations([...asked.slice(0, -1), goesOn, asks('2', begun, [one])])).toEqual([
      [],
      ['eins'],
    ]);
  });

  test('has one from before the last model call looked for elsewhere', async () => {
    const late = [...asked, asks('3', afterOne, [referring('1.1')])];
    expect((await observations(late)).at(-1)).toEqual(['eins', 'from elsewhere']);
  });
});

describe('what is rebuilt', () => {
  const events = [
    started(),
    asks('1', START, beginning),
    asks('1/1', START, beginning),
    ...runs('1.1', 'eins'),
    ...runs('1/1.1', 'not wanted'),
    asks('2', begun, [one]),
    asks('2~1', begun, [one]),
    asks('3', afterOne, [referring('1.1')]),
  ];

  test('is the transcript as it was, of which only what is needed is decoded', async () => {
    const { source, decoded } = sourceOf({ run: events });
    const transcript = await rebuildTranscript(source, { workflowId: 'w', runId: 'run' }, 0, afterOne);
    expect(transcript.mark).toEqual(afterOne);
    expect(transcript.entries.map((entry) => entry.type)).toEqual(['agent', 'question', 'step']);
    expect(decoded).toEqual(['run', '1', '2', '1.1 result']);
  });

  test('begins in the run that it goes on from, which may be of another workflow', async () => {
    const from = { workflowId: 'other', runId: 'run', ...afterOne };
    const { source, opened } = sourceOf({ run: events, next: [started({ manifest, from }, 'next')] });
    const run = { workflowId: 'w', runId: 'next' };
    expect((await rebuildTranscript(source, run, 0, afterOne)).mark).toEqual(afterOne);
    expect(opened).toEqual(['w next', 'other run']);
  });

  test('needs no other run for what comes first, the agent', async () => {
    const from = { runId: 'gone', ...afterOne };
    const { source, opened } = sourceOf({ next: [started({ manifest, from }, 'next')] });
    const first = await rebuildTranscript(source, { workflowId: 'w', runId: 'next' }, 0);
    expect(first.entries).toEqual([{ type: 'agent', manifest }]);
    expect(opened).toEqual(['w next']);
  });

  test.each<[what: string, events: Event[], target: Mark]>([
    ['never was', events.slice(0, 2), afterOne],
    ['says something else', [started(), asks('2', { ...begun, digest: 'dead' }, [one])], afterOne],
    ['has a hole', [started(), asks('1', START, beginning), asks('3', afterOne, [])], afterOne],
  ])('is never guessed: it %s', async (_, run, target) => {
    const { source } = sourceOf({ run });
    const rebuilt = rebuildTranscript(source, { workflowId: 'w', runId: 'run' }, 0, target);
    await expect(rebuilt).rejects.toThrow(Broken);
  });
});

class Broken extends Error {}

interface Value {
  name: string;
  value: unknown;
}

function started(input: object = {}, runId = 'run') {
  return {
    workflowExecutionStartedEventAttributes: {
      originalExecutionRunId: runId,
      input: { name: runId, value: input },
    },
  };
}

function scheduled(activityId: string, type: string, input: object) {
  return {
    eventId: activityId,
    activityTaskScheduledEventAttributes: {
      activityId,
      activityType: { name: type },
      input: { name: activityId, value: input },
    },
  };
}

function ended(activityId: string, output: Json) {
  return {
    activityTaskCompletedEventAttributes: {
      scheduledEventId: activityId,
      result: { name: `${activityId} result`, value: { output } },
    },
  };
}

function runs(activityId: string, output: Json): Event[] {
  return [scheduled(activityId, 'search', {}), ended(activityId, output)];
}

function asks(activityId: string, before: Mark, delta: Entry[]): Event {
  const input: CallModelInput = { scope: 0, base: before.length, prev: before.digest, delta };
  return scheduled(activityId, 'callModel', input);
}

function referring(activityId: string): Entry {
  const action = { tool: 'search', toolInput: 'x', log: '' };
  return { type: 'step', call: '1.1', action, observation: null, ref: { runId: 'run', activityId } };
}

/** A source of these runs, what was decoded of them, and which of them were opened. */
function sourceOf(histories: { [runId: string]: Event[] }) {
  const decoded: string[] = [];
  const opened: string[] = [];
  const decode = async (recorded: Value | undefined) => {
    decoded.push(recorded?.name ?? 'nothing');
    return recorded?.value;
  };
  const source: TranscriptSource<Value> = {
    history({ workflowId, runId }) {
      opened.push(`${workflowId} ${runId}`);
      return eventsOf(histories[runId] ?? []);
    },
    decode,
    async observation(_, ref, recorded) {
      if (recorded === undefined) return 'from elsewhere';
      return observationIn(ref, await decode(recorded));
    },
    broken: (what) => new Broken(what),
  };
  return { source, decoded, opened };
}

async function* eventsOf(events: Event[]) {
  yield* await Promise.resolve(events);
}

/** What each model call is shown of the tools, in order. */
async function observations(events: Event[]): Promise<Json[][]> {
  const shown: Json[][] = [];
  for await (const { transcript, asked } of readTranscripts(sourceOf({}).source, 'w', eventsOf(events))) {
    if (asked === undefined) continue;
    shown.push(transcript.entries.flatMap((entry) => (entry.type === 'step' ? [entry.observation] : [])));
  }
  return shown;
}
