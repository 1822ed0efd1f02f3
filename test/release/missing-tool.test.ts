import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { ReloopPlugin } from '../../index.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

let firstTried: () => void;
const triedOnce = new Promise<void>((resolve) => (firstTried = resolve));
let broken = true;

const one = defineTool({ name: 'one', description: 'stays', run: (input) => input });
const two = defineTool({
  name: 'two',
  description: 'goes away with a deploy',
  retry: { maxAttempts: 20, initialInterval: 500 },
  run(input) {
    firstTried();
    if (broken) throw new Error('not yet');
    return `two did ${input}`;
  },
});
const agent = {
  name: 'a',
  kind: 'zero-shot' as const,
  model: script(act('two', 'x'), answer('done')),
  tools: [one, two],
};

const rig = useRig({ agents: [agent] });

test('a call of a tool that a deploy has taken away waits for a person, who may retry it when the tool is back', async () => {
  const run = await rig.client.start('a', 'what?');
  await triedOnce;
  agent.tools = [one];
  await rig.restart();
  const wait = await waitOf(run);
  expect(wait).toMatchObject({
    tool: 'two',
    error: {
      type: 'ToolNotFound',
      message: expect.stringMatching(/^No worker of this task queue has the tool two\. This one has: one\./u),
    },
  });

  agent.tools = [one, two];
  broken = false;
  await rig.restart();
  await run.decide(wait.call, { type: 'retry' });
  expect(await run.result()).toMatchObject({
    output: 'done',
    intermediateSteps: [{ observation: 'two did x' }],
  });
}, 120_000);

test("an unknown activity of a user's own workflow stays that worker's business", async () => {
  const address = inject('temporalAddress');
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection: await Connection.connect({ address }) });
  const worker = await Worker.create({
    connection,
    taskQueue: 'own-default',
    workflowBundle: { codePath: inject('bundlePath') },
    plugins: [new ReloopPlugin({ agents: [agent] })],
    activities: { default: () => 'mine' },
  });
  const options = { workflowId: `own-default-${Date.now()}`, taskQueue: 'own-default', args: ['a', 'what?'] };
  const result = await worker.runUntil(() => client.workflow.execute('beside', options));
  expect(result).toBe('done, mine');
  await client.connection.close();
  await connection.close();
});
