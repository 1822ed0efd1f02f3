import { expect, test } from 'vitest';
import type { OperatorDecision } from '../../agent/run/events.ts';
import { rejectedTool, skippedTool } from '../../agent/observation/observations.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

/** Two people who decide at once, each something that fits. */

const options = { description: 'a tool', retry: { maxAttempts: 1 } };
const work = defineTool({
  name: 'work',
  ...options,
  run(input) {
    if (input === 'broken') throw new Error('out of order');
    return `did ${input}`;
  },
});
const guarded = defineTool({
  name: 'guarded',
  ...options,
  approval: 'always',
  run: (input) => `did ${input}`,
});

const rig = useRig({
  agents: [
    { name: 'asks', model: script(act('guarded', 'a')), tools: [guarded] },
    {
      name: 'delegates',
      model: script(act('asking', 'a')),
      tools: [agentTool({ name: 'asking', agent: 'asks', description: 'asks' })],
    },
    { name: 'breaks', model: script(act('work', 'broken')), tools: [work] },
  ],
});

async function waitingRun(agent: string): Promise<AgentRun> {
  const run = await rig.client.start(agent, 'what?');
  await waitOf(run);
  return run;
}

/** What can be decided of one call, and what the model is told then. */
const ofAgent: [agent: string, told: Map<OperatorDecision, string>][] = [
  [
    'asks',
    new Map<OperatorDecision, string>([
      [{ type: 'approve' }, 'did a'],
      [{ type: 'reject', reason: 'no' }, rejectedTool('no')],
      [{ type: 'resolve', output: 'by hand' }, 'by hand'],
    ]),
  ],
  [
    'breaks',
    new Map<OperatorDecision, string>([
      [{ type: 'retry', input: 'mended' }, 'did mended'],
      [{ type: 'skip', reason: 'no' }, skippedTool('no')],
      [{ type: 'resolve', output: 'by hand' }, 'by hand'],
    ]),
  ],
];
/** Each decision with each other one, in both orders. */
const pairs = ofAgent.flatMap(([agent, told]) =>
  [...told.keys()].flatMap((one) =>
    [...told.keys()].filter((other) => other !== one).map((other) => ({ agent, told, one, other })),
  ),
);

// Twice, which makes it 24 times in all.
test.each([...pairs, ...pairs])(
  'one of two operators who decide at once $one.type and $other.type wins, and the other is told',
  async ({ agent, told, one, other }) => {
    const run = await waitingRun(agent);
    const sent = [one, other].map((decided) => run.decide('1.1', decided, 0).then(() => decided));
    const outcomes = await Promise.allSettled(sent);
    const [won, ...more] = outcomes.filter(({ status }) => status === 'fulfilled');
    const lost = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as Error] : [],
    );
    expect(more).toEqual([]);
    expect(lost).toEqual([expect.any(DecisionRefused)]);
    const { intermediateSteps } = await run.result();
    const decidedAs = won?.status === 'fulfilled' ? won.value : undefined;
    expect(intermediateSteps).toMatchObject([{ call: '1.1', observation: decidedAs && told.get(decidedAs) }]);
    const decided = await eventOf(run.events({ live: false }), 'decided');
    expect(decided.decision).toEqual(decidedAs);
  },
);

const again: [how: string, doAgain: (run: AgentRun) => Promise<unknown>][] = [
  ['is rewound', (run) => run.rewind({ step: 1 })],
  ['is cancelled and retried', cancelAndRetry],
];

test.each(again)('a decision on a wait of a run that %s meets no later wait', async (_how, doAgain) => {
  const run = await waitingRun('asks');
  for (const n of [0, 1]) {
    await waitOf(run, { call: '1.1', n });
    await doAgain(run);
    await waitOf(run, { call: '1.1', n: n + 1 });
    await expect(run.decide('1.1', { type: 'approve' }, n)).rejects.toThrow(
      `1.1 is at wait ${n + 1} by now, not ${n}. Look again.`,
    );
  }
  expect((await run.describe()).waiting).toMatchObject([{ call: '1.1', n: 2 }]);
  const receipt = await run.decide('1.1', { type: 'approve' }, 2);
  expect(receipt).toEqual({ call: '1.1', n: 2, decision: 'approve' });
  expect((await run.result()).output).toBe('end of script');
});

test('a decision on a wait of a sub-agent meets no wait of the one in its place after a rewind', async () => {
  const run = await waitingRun('delegates');
  await waitOf(run, { call: '1.1/1.1', n: 0 });
  await run.rewind({ step: 1 });
  await waitOf(run, { call: '1.1~1/1.1', n: 0 });
  await expect(run.decide('1.1/1.1', { type: 'approve' }, 0)).rejects.toThrow('is over (cancelled)');
  await run.decide('1.1~1/1.1', { type: 'approve' }, 0);
  expect((await run.result()).output).toBe('end of script');
});

async function cancelAndRetry(run: AgentRun): Promise<void> {
  await run.cancel();
  await expect(run.result()).rejects.toThrow();
  await run.retry();
}

test('two operators resume a run at once: one does, and the other is told', async () => {
  const run = await waitingRun('asks');
  await run.pause();
  const outcomes = await Promise.allSettled([run.resume(), run.resume()]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await rig.temporal.workflow.getHandle(run.id).terminate();
});
