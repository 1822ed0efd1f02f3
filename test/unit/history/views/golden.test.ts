import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { RunView } from '../../../../agent/views/view.ts';
import { reportOf } from '../../../../client/report.ts';
import { createActionCount } from '../../../../history/views/billed-actions.ts';
import { readTimeline } from '../../../../history/views/timeline.ts';
import { clientOf, recordedHistories } from '../../../support/recorded-histories.ts';

/**
 * The events and the report of each recorded history, as they were when it was recorded. A change of how histories are
 * read shows here first. `npx vitest run --project unit test/unit/history/views/golden.test.ts -u` accepts what is read now.
 */
const recorded = recordedHistories();
const client = clientOf(recorded);

describe('a recorded history is read as it was', () => {
  test.each(recorded)('$name', async ({ name, run }) => {
    const events: RunEvent[] = [];
    const view = new RunView(run.workflowId, run.runId);
    const actions = createActionCount();
    for await (const moment of readTimeline(client, run, { follow: false, onFact: actions.next }))
      for (const event of moment.events) {
        events.push(event);
        view.add(event);
      }
    const report = { ...reportOf(view), actions: actions.sum() };
    const lines = [...events, report].map((line) => JSON.stringify(line));
    expect(events.length).toBeGreaterThan(0);
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../../../fixtures/golden/${name}.jsonl`);
  });
});
