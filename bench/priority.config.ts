import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineTool, z } from 'reloop';
import { scripted } from 'reloop/testing';

/** The agent of bench/priority.ts: one call of a tool that takes a second, on a worker with few places. */
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  async run() {
    await sleep(1_000);
    return 'seen';
  },
});
const call = { toolCalls: [{ name: 'look', arguments: {}, id: 'call_0' }] };
export default defineConfig({
  concurrency: 10,
  agents: [
    defineAgent({ name: 'looks', kind: 'tool-calling', model: scripted([call, 'done']), tools: [look] }),
  ],
});
