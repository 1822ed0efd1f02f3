import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineTool } from 'reloop';
import { scripted } from 'reloop/testing';

/** Where the retry demo puts what its tool misses at first. */
export const reportFile = process.env['DEMO_REPORT'] ?? '.reloop/demo-report.txt';

const count = defineTool({
  name: 'count',
  description: 'Counts to a number, half a second each.',
  effects: 'none',
  async run(input, ctx) {
    const from = Number(ctx.lastCheckpoint ?? 0) + 1;
    ctx.progress(from === 1 ? 'starting at 1' : `going on at ${from}`);
    for (let n = from; n <= Number(input); n++) {
      await sleep(500, undefined, { signal: ctx.signal });
      await ctx.checkpoint(n);
      ctx.progress(`counted ${n} of ${input}, from ${from} in this process`);
    }
    return `counted to ${input}; this process began at ${from}`;
  },
});

const report = defineTool({
  name: 'report',
  description: 'Reads the monthly report.',
  retry: { maxAttempts: 2, initialInterval: '200ms' },
  run() {
    if (!existsSync(reportFile)) throw new Error(`${reportFile} is not there yet`);
    return readFileSync(reportFile, 'utf8');
  },
});

export default defineConfig({
  agents: [
    defineAgent({
      name: 'counter',
      tools: [count],
      model: scripted([
        { toolCalls: [{ name: 'count', arguments: { input: '8' } }] },
        'Eight, and none of them twice.',
      ]),
    }),
    defineAgent({
      name: 'reader',
      tools: [report],
      model: scripted([
        { toolCalls: [{ name: 'report', arguments: { input: 'monthly' } }] },
        'Sales are up.',
      ]),
    }),
  ],
});
