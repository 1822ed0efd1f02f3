import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { replayHistories } from '../../worker/replay-histories.ts';
import { quiet } from '../support/quiet.ts';
import { workflowCode } from '../support/workflow-code.ts';

const folder = fileURLToPath(new URL('../fixtures/histories', import.meta.url));
const releases = readdirSync(folder);

quiet();

interface History {
  events: {
    workflowExecutionStartedEventAttributes?: { workflowId?: string };
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  }[];
}

const recorded = releases.flatMap((release) =>
  readdirSync(join(folder, release)).map((file) => join(release, file)),
);
let code: { code: string };
/** Of each recorded run how its replay ended: undefined, or what was wrong. */
const ends = new Map<string, Error | undefined>();

/** One worker replays all, as a worker would: to begin one takes longer than most replays. */
beforeAll(async () => {
  code = { code: await workflowCode() };
  let replayed = 0;
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: code }, histories())) {
    ends.set(String(recorded[replayed++]), error);
  }
});

/** In the order of `recorded`, which is that of the results. */
function* histories(): Generator<{ history: History; workflowId: string }> {
  for (const path of recorded) {
    const history = historyOf(path);
    // The ids of sub-agents begin with it.
    const workflowId = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? 'unnamed';
    yield { history, workflowId };
  }
}

function historyOf(path: string): History {
  return JSON.parse(readFileSync(join(folder, path), 'utf8')) as History; // as Temporal exports them
}

describe.each(releases)('a run recorded with %s', (release) => {
  test.each(readdirSync(join(folder, release)))('still replays: %s', (file) => {
    const path = join(release, file);
    expect(ends.has(path)).toBe(true);
    expect(ends.get(path)).toBeUndefined();
  });
});

/** Histories as a client reads them. */
async function* asRead(list: readonly History[]) {
  for (const history of list) yield { workflowId: 'read', history: historyFromJSON(history) };
}

test('a changed order of commands is noticed', async () => {
  const whole = join(String(releases[0]), 'final-answer.json');
  const history = historyOf(whole);
  const scheduled = history.events.filter((event) => event.activityTaskScheduledEventAttributes);
  const tool = scheduled[2]?.activityTaskScheduledEventAttributes;
  if (tool === undefined) throw new Error('The fixture has no tool call.');
  tool.activityType.name = 'another';
  await expect(Worker.runReplayHistory({ workflowBundle: code }, history)).rejects.toThrow();
  const problems = [];
  for await (const replay of replayHistories(asRead([history, historyOf(whole)])))
    problems.push(replay.problem);
  expect(problems).toEqual([expect.stringContaining('Nondeterminism'), undefined]);
});
