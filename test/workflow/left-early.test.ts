import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, modelOf, script } from '../support/scripts.ts';

const slow = defineTool({
  name: 'slow',
  description: 'is half done',
  async run(_input, { progress, signal }) {
    progress('half');
    return sleep(600_000, 'whole', { signal });
  },
});
const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => sleep(20, input) });
const manySteps = modelOf((step) => (Number(step) < 20 ? act('echo', step) : answer('ok')));

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      { name: 'a', model: script(act('slow', 'x')), tools: [slow] },
      { name: 'many', model: manySteps, tools: [echo], maxIterations: null },
    ],
  });
}, 60_000);
afterAll(() => rig.stop());

test('who leaves the events of a run early leaves no long poll behind', async () => {
  const service = rig.temporal.workflowService;
  const ask = service.getWorkflowExecutionHistory.bind(service);
  const open = new Set<unknown>();
  let most = 0;
  const counted = (...args: unknown[]): ReturnType<typeof ask> => {
    const asked: ReturnType<typeof ask> = Reflect.apply(ask, service, args);
    open.add(asked);
    most = Math.max(most, open.size);
    const over = () => void open.delete(asked);
    asked.then(over, over);
    return asked;
  };
  vi.spyOn(service, 'getWorkflowExecutionHistory').mockImplementation(counted);

  const run = await rig.client.start('a', 'what?');
  for await (const { type } of run.events()) {
    if (type !== 'tool_progress') continue;
    expect(open.size, 'what is to come is asked for meanwhile').toBe(1);
    break;
  }
  await vi.waitFor(() => expect(open.size).toBe(0), 30_000);
  expect(most).toBe(1);
  vi.restoreAllMocks();
  await run.cancel();
});

test('who follows a run to its end is told of no leak', async () => {
  const warnings: string[] = [];
  const warned = ({ name }: Error) => void warnings.push(name);
  process.on('warning', warned);
  const run = await rig.client.start('many', 'what?');
  const seen = [];
  for await (const { type } of run.events()) seen.push(type);
  await sleep(0); // warnings come in their own time
  process.off('warning', warned);
  expect(seen.at(-1)).toBe('run_ended');
  expect(warnings).toEqual([]);
});
