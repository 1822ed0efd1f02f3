import { beforeEach, describe, expect, test } from 'vitest';
import type { CallModelInput } from '../../../../agent/calls/calls.ts';
import {
  type TranscriptSource,
  rebuildAgent,
  rebuildTranscript,
  transcriptReader,
} from '../../../../history/views/transcript.ts';
import type { Fact } from '../../../../history/read/fact.ts';
import { readToolResult } from '../../../../agent/calls/tool-result.ts';
import { type Entry, type Mark, START, advance } from '../../../../agent/transcript/entries.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { sampleManifest } from '../../../support/manifest.ts';

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
    const goesOn = started({ agent: 'a', manifest, from: { runId: 'run', ...begun } }, 'next');
    const shown = await observations([...asked.slice(0, -1), goesOn, asks('2', begun, [one])]);
    expect(shown).toEqual([[], ['eins']]);
  });

  test('finds it by its id alone, as a result of the run in whose history the call is', async () => {
    const own = { ...one, ref: { activityId: '1.1' } };
    const run = [started(), asks('1', START, beginning), ...runs('1.1', 'eins'), asks('2', begun, [own])];
    expect(await observations(run)).toEqual([[], ['eins']]);
  });

  test('finds it in a run that a reset began again, under the id of the run that was given up', async () => {
    const again = [started({}, 'again', 'run'), ...asked.slice(1, -1)];
    expect(await observations([...again, asks('2', begun, [one])])).toEqual([[], ['eins']]);
    const reset: Fact = { id: 4, at: 0, type: 'reset', fromRunId: 'between', runId: 'again' };
    const ofBetween = referring('1.1', 'between');
    expect(await observations([...again, reset, asks('2', begun, [ofBetween])])).toEqual([[], ['eins']]);
  });

  test('has one from before the last model call looked for elsewhere', async () => {
    const late = [...asked, asks('3', afterOne, [referring('1.1')])];
    expect((await observations(late)).at(-1)).toEqual(['eins', 'from elsewhere: run 1.1']);
  });
});

describe('a transcript that is rebuilt', () => {
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
    const { source } = sourceOf({ run: events });
    const transcript = await rebuildTranscript(source, { workflowId: 'w', runId: 'run' }, 0, afterOne);
    expect(transcript.mark).toEqual(afterOne);
    expect(transcript.entries.map((entry) => entry.type)).toEqual(['agent', 'question', 'step']);
    expect(decoded).toEqual(['run', '1', '2', '1.1 result']);
  });

  test('begins in the run that it goes on from, which may be of another workflow', async () => {
    const from = { workflowId: 'other', runId: 'run', ...afterOne };
    const next = [started({ agent: 'a', manifest, from }, 'next')];
    const { source, opened } = sourceOf({ run: events, next });
    const run = { workflowId: 'w', runId: 'next' };
    expect((await rebuildTranscript(source, run, 0, afterOne)).mark).toEqual(afterOne);
    expect(opened).toEqual(['w next', 'other run']);
  });

  test.each([
    ['names its run', 'earlier', 'from elsewhere: earlier 1.1'],
    ['names no run, so it is the one that handed it over', undefined, 'from elsewhere: before 1.1'],
  ])('holds what carried entries refer to, where the reference %s', async (_, runId, observation) => {
    const entries = [...beginning.slice(1), { ...one, ref: { activityId: '1.1', runId } }];
    const from = { runId: 'before', ...afterOne, entries };
    const { source } = sourceOf({ next: [started({ agent: 'a', manifest, from }, 'next')] });
    const carried = await rebuildTranscript(source, { workflowId: 'w', runId: 'next' }, 0, afterOne);
    expect(carried.entries.at(-1)).toMatchObject({ type: 'step', observation });
  });

  test('needs no other run for what comes first, the agent', async () => {
    const from = { runId: 'gone', ...afterOne };
    const { source, opened } = sourceOf({ next: [started({ agent: 'a', manifest, from }, 'next')] });
    const first = await rebuildAgent(source, { workflowId: 'w', runId: 'next' }, 0, () => true);
    expect(first).toEqual(manifest);
    expect(opened).toEqual(['w next']);
  });

  test.each<[what: string, events: Fact[], target: Mark]>([
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

/** What has been decoded, by name. */
let decoded: string[] = [];
beforeEach(() => (decoded = []));

function recorded(name: string, value: unknown) {
  return async () => {
    decoded.push(name);
    return value;
  };
}

function started(input: object = {}, runId = 'run', originalRunId = runId): Fact {
  const value = recorded(runId, input);
  const ids = { workflowId: 'w', runId, firstRunId: runId, originalRunId, previousRunId: undefined };
  const laterArguments = () => Promise.resolve(undefined);
  return { id: 1, at: 0, type: 'started', workflowType: 'agentRun', ...ids, input: value, laterArguments };
}

function scheduled(workId: string, name: string, input: object): Fact {
  const value = recorded(workId, input);
  return { id: 2, at: 0, type: 'scheduled', of: 'activity', key: workId, workId, name, input: value };
}

function ended(workId: string, output: Json): Fact {
  const result = recorded(`${workId} result`, { output });
  return { id: 3, at: 0, type: 'succeeded', of: 'activity', key: workId, result };
}

function runs(activityId: string, output: Json): Fact[] {
  return [scheduled(activityId, 'search', {}), ended(activityId, output)];
}

function asks(activityId: string, before: Mark, delta: Entry[]): Fact {
  const input: CallModelInput = { scope: 0, base: before.length, prev: before.digest, delta };
  return scheduled(activityId, 'callModel', input);
}

function referring(activityId: string, runId: string | undefined = 'run'): Entry {
  const action = { tool: 'search', toolInput: 'x', log: '' };
  return { type: 'step', call: '1.1', action, observation: null, ref: { runId, activityId } };
}

/** A source of these runs, and which of them were opened. */
function sourceOf(histories: { [runId: string]: Fact[] }) {
  const opened: string[] = [];
  const source: TranscriptSource = {
    facts({ workflowId, runId }) {
      opened.push(`${workflowId} ${runId}`);
      return eventsOf(histories[runId] ?? []);
    },
    async observation(run, ref, result) {
      if (result !== undefined) return readToolResult(await result())?.output ?? null;
      return `from elsewhere: ${ref.runId ?? run.runId} ${ref.activityId}`;
    },
    broken: (what) => new Broken(what),
  };
  return { source, opened };
}

async function* eventsOf(events: Fact[]) {
  yield* await Promise.resolve(events);
}

/** What each model call is shown of the tools, in order. */
async function observations(events: Fact[]): Promise<Json[][]> {
  const shown: Json[][] = [];
  const next = transcriptReader(sourceOf({}).source);
  for (const event of events) {
    for (const { transcript, modelCall } of await next(event)) {
      if (modelCall === undefined) continue;
      shown.push(transcript.entries.flatMap((entry) => (entry.type === 'step' ? [entry.observation] : [])));
    }
  }
  return shown;
}
