import type { WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { decisionNames } from '../../agent/rules/decisions.ts';
import { runMessageNames } from '../../agent/rules/run-messages.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import type { SessionReport } from '../../client/api/agent-session.ts';
import { junk } from '../support/junk.ts';
import { bytes, failedTasks, unreadable } from '../support/raw-payloads.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { guarded } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';

/** What somebody sends to runs and sessions with Temporal's own means, in any shape. */
const rig = useRig({
  agents: [{ name: 'asks', model: script(act('guarded', 'x'), answer('done')), tools: [guarded] }],
});

/** Names of what a workflow listens to, by its own word: a new one is tried as well. */
interface Handlers {
  signals: string[];
  updates: string[];
}

async function handlersOf(workflow: WorkflowHandle): Promise<Handlers> {
  const { definition } = await workflow.query<{
    definition: { [kind in 'signalDefinitions' | 'updateDefinitions']: { name: string }[] };
  }>('__temporal_workflow_metadata');
  const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name).toSorted();
  return {
    signals: namesOf(definition.signalDefinitions),
    updates: namesOf(definition.updateDefinitions),
  };
}

/** What an update or a signal takes of the junk, as it should. */
const welcome: { [handler: string]: (value: unknown) => boolean } = {
  pausedAbove: (value) => typeof value === 'boolean',
  say: (value) => typeof value === 'string' || typeof value === 'number',
};

/** The server takes ten updates of one workflow at a time. */
const AT_ONCE = 8;

/** Sends each of the junk to each handler; the updates that were not refused. */
async function bombard(workflow: WorkflowHandle, { signals, updates }: Handlers): Promise<string[]> {
  for (const signal of signals) {
    for (const value of unwelcome(signal)) await workflow.signal(signal, value);
    await workflow.signal(signal);
    await workflow.signal(signal, null, 1, bytes('x'));
    for (const [, input] of unreadable) await signalRaw(workflow, signal, input);
  }
  const taken: string[] = [];
  for (const update of updates) {
    const one = unwelcome(update).map((value): [unknown] => [value]);
    const sent: [unknown, ...unknown[]][] = [...one, ['1.1', 'more']];
    const ends = await aFewAtATime(sent, AT_ONCE, (args) =>
      workflow.executeUpdate<unknown, [unknown, ...unknown[]]>(update, { args }).then(
        () => 'taken',
        (error: WorkflowUpdateFailedError) => String(error.cause?.message),
      ),
    );
    for (const [index, end] of ends.entries()) {
      // Refused with a sentence, or not.
      if (!end.startsWith(`${update}: `) || !end.includes('.'))
        taken.push(`${JSON.stringify(sent[index])}: ${end}`);
    }
  }
  return taken;
}

function unwelcome(handler: string): unknown[] {
  return junk.filter((value) => welcome[handler]?.(value) !== true);
}

async function signalRaw({ workflowId }: WorkflowHandle, signalName: string, input: Payload): Promise<void> {
  await rig.temporal.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    signalName,
    input: { payloads: [input] },
  });
}

describe('a message by hand that fits no handler', () => {
  test('is refused or left out by a run, which stays as it is and goes on', async () => {
    const run = await rig.client.start('asks', 'What?');
    await waitOf(run);
    const workflow = rig.temporal.workflow.getHandle(run.id);
    const handlers = await handlersOf(workflow);
    expect(handlers.signals).toEqual(Object.keys(runSignals).toSorted());
    expect(handlers.updates).toEqual([...decisionNames, ...runMessageNames].toSorted());
    const before = [await workflow.query('status'), await run.describe()];

    expect(await bombard(workflow, handlers)).toEqual([]);
    const after = [await workflow.query('status'), await run.describe()];
    expect(after.map(withoutHistory)).toEqual(before.map(withoutHistory));
    await workflow.executeUpdate('approve', {
      args: [{ call: '1.1', input: 'y', reason: null, remember: null }],
    });
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: 'did y' }]);
    expect(await failedTasks(workflow)).toBe(0);
  });

  test('is refused or left out by a session, which stays as it is and goes on', async () => {
    const name = `calm-${rig.taskQueue}`;
    const { taskQueue } = rig;
    const session = await rig.temporal.workflow.start('agentSession', {
      workflowId: `session:${name}`,
      taskQueue,
    });
    const handlers = await handlersOf(session);
    expect(handlers).toEqual({ signals: ['answered', 'send'], updates: ['clear', 'send'] });
    const before: SessionReport = await rig.client.session(name).describe();
    expect(await bombard(session, handlers)).toEqual([]);
    expect(await rig.client.session(name).describe()).toEqual(before);
    await session.executeUpdate('clear');
    await session.result();
    expect(await failedTasks(session)).toBe(0);
  });
});

/** What people see of a run; signals that are left out are events all the same. */
function withoutHistory(report: unknown): unknown {
  const { history: _, usage: __, ...seen } = report as { history?: unknown; usage?: unknown };
  return seen;
}
