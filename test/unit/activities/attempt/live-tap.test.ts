import type { Context } from '@temporalio/activity';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tapLive } from '../../../../activities/attempt/live-tap.ts';
import { topicOf } from '../../../../features/live/live-channel.ts';
import { readLocally } from '../../../../features/live/local-topics.ts';
import { createLivePublisher } from '../../../../features/live/publisher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('chunks of a model that come close together are one piece', () => {
  const texts = read();
  const tap = tapOf('3');
  for (const text of ['a', 'ab', 'abc']) tap?.changed({ text });
  expect(texts).toEqual([[0, 'a']]);
  vi.advanceTimersByTime(100);
  expect(texts).toEqual([
    [0, 'a'],
    [1, 'bc'],
  ]);
  tap?.stop();
});

test('a reader who comes later gets the text from its beginning', () => {
  read();
  const tap = tapOf('3');
  tap?.changed({ text: 'the first half' });
  vi.advanceTimersByTime(1000);
  const texts = read();
  vi.advanceTimersByTime(1000);
  expect(texts).toEqual([[0, 'the first half']]);
  tap?.stop();
});

test('the rest of a text comes with the end of its attempt', () => {
  const texts = read();
  const tap = tapOf('3');
  tap?.changed({ text: 'a' });
  tap?.changed({ text: 'ab' });
  tap?.stop();
  expect(texts.at(-1)).toEqual([1, 'b']);
});

test.each(['resolveAgent', 'summary'])('the activity %s, which is not a call, is not published', (id) => {
  expect(tapOf(id)).toBeUndefined();
});

function tapOf(activityId: string) {
  const workflowExecution = { workflowId: 'w', runId: 'r' };
  const info = { activityId, workflowExecution, scheduledTimestampMs: 1, attempt: 1 };
  const publisher = createLivePublisher(undefined, () => undefined);
  return tapLive({ info } as unknown as Context, publisher); // no message leaves the process, so no client is used
}

/** Offset and text of the pieces that a new reader receives. */
function read(): [offset: number, delta: string][] {
  const texts: [number, string][] = [];
  readLocally(topicOf('w'), (pieces) => {
    for (const { offset, delta } of pieces) texts.push([offset, delta]);
  });
  return texts;
}
