import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Reconciled, type ToolContext, defineTool } from '../../adapters/tools/tool.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';
import { expectToldAsRecorded } from '../support/told-events.ts';

/** When all tests are. */
const over = new AbortController();

/** Each tool does not hear that it is cancelled, so that its attempt may still be running when it is given up. */
const tool = (name: string, said: Reconciled, more: object = {}) =>
  defineTool({
    name,
    description: 'pays',
    effects: 'once',
    async run(_input: string, ctx: ToolContext) {
      ctx.progress('at it');
      await sleep(600_000, undefined, { signal: over.signal }).catch(() => undefined);
    },
    reconcile: () => said,
    ...more,
  });
const paid: Reconciled = { status: 'done', output: 'was paid' };
const tools = [
  tool('done', paid),
  tool('notDone', { status: 'notDone' }),
  tool('brief', paid, { timeout: '18s' }),
];

const told = new Map<string, RunEvent[]>();
const agent = (name: string, more: object = {}) => ({
  name,
  model: modelOf((step, { prompt }) => {
    const [, called = ''] = /what: (\w+)/u.exec(JSON.stringify(prompt)) ?? [];
    return step === '1' ? act(called, 'x') : answer('ok');
  }),
  tools,
  ...more,
});
const rig = useRig({
  agents: [agent('a'), agent('patient', { maxExecutionTime: 22_000 })],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});
afterAll(() => {
  over.abort();
});

function decides(decision: OperatorDecision) {
  return (run: AgentRun) => run.decide('1.1', decision);
}

describe('a call whose lost attempt may still be running', () => {
  const lost = async (called: string, agent: string) => {
    const started = await rig.client.start(agent, `what: ${called}`);
    await eventOf(started.events(), 'tool_progress');
    await started.decide('1.1', { type: 'cancelCall', reason: 'enough' });
    const wait = await waitOf(started);
    expect(wait.until).toBeGreaterThan(0);
    return started;
  };
  const rows: [
    what: string,
    called: string,
    agent: string,
    does: (run: AgentRun) => unknown,
    end: unknown,
  ][] = [
    ['asks its tool by itself', 'brief', 'a', () => undefined, 'was paid'],
    ['asks its tool when a person says so', 'done', 'a', decides({ type: 'reconcile' }), 'was paid'],
    [
      'is cancelled where its tool says that it did nothing',
      'notDone',
      'a',
      decides({ type: 'reconcile' }),
      'This tool call was cancelled before it ended: enough',
    ],
    ['ends with its run', 'done', 'a', (run) => run.cancel(), undefined],
    [
      "is told to the model at the run's time limit",
      'done',
      'patient',
      () => undefined,
      "This tool call was cut off at the run's time limit; it may or may not have taken effect, and there is no result.",
    ],
    [
      'is not run again by a person',
      'done',
      'a',
      async (run) => {
        await expect(run.decide('1.1', { type: 'retry' })).rejects.toThrow(
          'retry: 1.1 may still be running somewhere, so it waits for its lost attempt to end. Possible: reconcile, resolve, skip, abort.',
        );
        const { status, waiting: listed } = await run.describe();
        expect({ status, listed }).toMatchObject({ status: 'running', listed: [{ reason: 'doubt' }] });
        const { memo } = await rig.client.temporal.workflow.getHandle(run.id).describe();
        expect(memo).toMatchObject({ waiting: [{ call: '1.1', until: listed[0]?.until }] });
        await run.decide('1.1', { type: 'reconcile' });
      },
      'was paid',
    ],
  ];

  test.concurrent.each(rows)('%s', { timeout: 60_000 }, async (_what, called, agent, does, end) => {
    const started = await lost(called, agent);
    await does(started);
    const result = await started.result().then(
      ({ intermediateSteps }) => intermediateSteps[0]?.observation,
      (error: { type?: string }) => error.type,
    );
    expect(result).toEqual(end);
    await expectToldAsRecorded(started, told);
  });
});
