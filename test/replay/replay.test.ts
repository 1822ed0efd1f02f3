import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../worker/workflow-bundle.ts';
import { quiet } from '../support/quiet.ts';

const folder = fileURLToPath(new URL('../fixtures/histories', import.meta.url));
const releases = readdirSync(folder);

quiet();

let code: { code: string };
beforeAll(async () => {
  code = await bundle();
});

describe.each(releases)('a run recorded with %s', (release) => {
  test.each(readdirSync(join(folder, release)))('still replays: %s', async (file) => {
    const history = JSON.parse(readFileSync(join(folder, release, file), 'utf8')) as {
      events: { workflowExecutionStartedEventAttributes?: { workflowId?: string } }[];
    };
    // The ids of sub-agents begin with it.
    const id = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
    const replayed = Worker.runReplayHistory({ workflowBundle: code }, history, id);
    await expect(replayed).resolves.toBeUndefined();
  });
});

test('a changed order of commands is noticed', async () => {
  const history = JSON.parse(
    readFileSync(join(folder, String(releases[0]), 'final-answer.json'), 'utf8'),
  ) as {
    events: { activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
  };
  const scheduled = history.events.filter((event) => event.activityTaskScheduledEventAttributes);
  const tool = scheduled[2]?.activityTaskScheduledEventAttributes;
  if (tool === undefined) throw new Error('The fixture has no tool call.');
  tool.activityType.name = 'another';
  await expect(Worker.runReplayHistory({ workflowBundle: code }, history)).rejects.toThrow();
});
