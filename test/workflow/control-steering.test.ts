import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { toldAndRecorded } from '../support/control-paths.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, script } from '../support/scripts.ts';

/** All that can be said to a run, told twice: by the worker as it happens, and by history. */

const told = new Map<string, RunEvent[]>();
/** Of the tool that runs now. */
let running: (() => void) | undefined;
const release = async () => {
  await expect.poll(() => running).toBeDefined();
  running?.();
  running = undefined;
};
const slow = defineTool({
  name: 'slow',
  description: 'takes as long as the test wants',
  effects: 'none',
  run: (input) => new Promise((resolve) => (running = () => resolve(`slow ${input}`))),
});
const tools = [slow, agentTool({ name: 'helper', agent: 'plain', description: 'helps' })];

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'plain', model: script(act('slow', 'a')), tools },
      { name: 'short', model: script(act('slow', 'a')), tools, maxIterations: 1 },
      { name: 'parent', model: script(act('helper', 'help me')), tools },
    ],
    onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
  });
}, 60_000);
afterAll(() => rig.stop());

const seen = (run: AgentRun, type: RunEvent['type']) => eventOf(run.events({ live: false }), type);

const paths: [what: string, agent: string, steer: (run: AgentRun) => Promise<unknown>, releases?: true][] = [
  ['something that the model is told', 'plain', (run) => run.say('Be brief.')],
  ['something that comes too late', 'short', (run) => run.say('Be brief.')],
  ['an extension', 'short', (run) => run.extend({ iterations: 1 })],
  [
    'a pause',
    'plain',
    async (run) => {
      await run.pause();
      await release();
      await seen(run, 'step');
      await run.resume();
    },
    true,
  ],
  [
    'its cancellation while it is paused, with something unsaid',
    'plain',
    async (run) => {
      await run.pause();
      await release();
      await seen(run, 'step');
      await run.say('Never mind.');
      await run.cancel();
    },
    true,
  ],
];

describe("the worker's onEvent and the run's history say the same", () => {
  test.each(paths)('when a run sees %s', async (_what, name, steer, steersAlone) => {
    const run = await rig.client.start(name, 'what?');
    await seen(run, 'tool_started');
    await steer(run);
    if (!steersAlone) await release();
    await run.result().catch(() => undefined); // one is cancelled
    const { told: heard, recorded, lines } = await toldAndRecorded(run, () => told.get(run.id) ?? []);
    expect(heard).toEqual(recorded);
    expect(lines).toMatchSnapshot();
  });

  test('when a sub-agent is paused with its run', async () => {
    const parent = await rig.client.start('parent', 'what?');
    await seen(parent, 'tool_started');
    const child = rig.client.get(`${parent.id}/1.1`);
    await expect.poll(() => told.get(child.id)?.some(({ type }) => type === 'tool_started')).toBe(true);
    await parent.pause();
    await seen(child, 'steered');
    await release();
    await seen(child, 'step');
    await parent.resume();
    await parent.result();
    for (const run of [parent, child]) {
      const { told: heard, recorded, lines } = await toldAndRecorded(run, () => told.get(run.id) ?? []);
      expect(heard).toEqual(recorded);
      expect(lines).toMatchSnapshot();
    }
  });
});
