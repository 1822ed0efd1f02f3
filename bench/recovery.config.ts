import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ToolContext, defineAgent, defineConfig, defineTool } from 'reloop';
import { scripted } from 'reloop/testing';

/** What bench/recovery.ts kills: calls that note what they do, and of which the first attempt never ends. */
const note = (what: string) => appendFileSync(String(process.env['BENCH_NOTES']), `${what} ${Date.now()}\n`);

async function run(call: string, { attempt, signal }: ToolContext): Promise<string> {
  note(`${call} began`);
  if (attempt === 1) await sleep(600_000, undefined, { signal });
  return 'done';
}

const tools = [
  defineTool({ name: 'idempotent', description: 'may run again', run }),
  defineTool({
    name: 'once',
    // Reloop asks `reconcile` after this time, or after a few seconds if it knows that the worker's process is dead.
    timeout: '20s',
    description: 'may not',
    effects: 'once',
    run,
    reconcile(call) {
      note(`${call} asked`);
      return { status: 'done', output: 'done' };
    },
  }),
];

export default defineConfig({
  agents: tools.map((tool) =>
    defineAgent({
      name: tool.name,
      kind: 'zero-shot',
      model: scripted([`Action: ${tool.name}\nAction Input: ${tool.name}`, 'Final Answer: done']),
      tools: [tool],
    }),
  ),
});
