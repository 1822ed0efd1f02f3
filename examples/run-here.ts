/** An agent inside a program: no server, no worker, no second terminal. End it half way and start it again: it goes on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineTool, runAgentHere } from 'reloop';
import { scripted } from 'reloop/testing';

const count = defineTool({
  name: 'count',
  description: 'Counts to a number, one a second.',
  async run(to, ctx) {
    for (let n = Number(ctx.lastCheckpoint ?? 0) + 1; n <= Number(to); n++) {
      await sleep(Number(process.env['COUNT_MS'] ?? 1000), undefined, { signal: ctx.signal });
      console.error(n);
      await ctx.checkpoint(n);
    }
    return `counted to ${to}`;
  },
});

const counter = defineAgent({
  name: 'counter',
  tools: [count],
  // In the place of a model that costs money.
  model: scripted([
    { toolCalls: [{ name: 'count', arguments: { input: '8' } }] },
    'Eight, and none of them twice.',
  ]),
});

const [id] = process.argv.slice(2); // the same id: the same run
const config = defineConfig({ agents: [counter] });
const { output, usage, intermediateSteps } = await runAgentHere(config, 'counter', 'Count to eight.', { id });
console.error(`${usage.modelCalls} model calls; count was begun ${intermediateSteps[0]?.attempts} times.`);
console.log(output);
