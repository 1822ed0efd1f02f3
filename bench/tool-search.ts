/**
 * Measures how many prompt tokens a search over tools saves, in runs of 30 model calls with 300 tools: all in the prompt, and searched. Prints
 * the tokens of a run (four characters of the request's body each, and the scripted server's count: messages only), and the share of a
 * request's bytes that the request before begins with: the most that a provider's cache of prompts can serve.
 *
 *     node --import tsx bench/tool-search.ts      after `npm run build`
 */
import { z } from 'zod';
import { startScriptedServer } from '../adapters/models/scripted/scripted-server.ts';
import type { ScriptedReply } from '../adapters/models/scripted/script.ts';
import { CHARS_PER_TOKEN } from '../agent/definition/price.ts';
import { defineAgent, defineTool, openai } from '../index.ts';
import { aligned } from './print-results.ts';
import { startWorkerHere } from './worker-here.ts';

const TOOLS = 300;
const STEPS = 30;
const AREAS = ['invoice', 'order', 'customer', 'parcel', 'contract', 'ticket'];
const VERBS = ['create', 'find', 'update', 'cancel', 'archive'];

const tools = Array.from({ length: TOOLS }, (_, n) => {
  const [area, verb] = [AREAS[n % AREAS.length], VERBS[Math.floor(n / AREAS.length) % VERBS.length]];
  return defineTool({
    name: `${verb}_${area}_${n}`,
    description: `Does "${verb}" for one ${area} in the system number ${n} of the company, and returns what has changed.`,
    input: z.object({
      id: z.string().describe(`The number of the ${area}, as the customer wrote it.`),
      reason: z.string().optional().describe('Why it is done, in one sentence.'),
      notify: z.boolean().optional().describe('Whether the customer gets a mail about it.'),
    }),
    effects: 'none',
    run: ({ id }) =>
      `Done for ${id}: state changed from open to closed, by the night job, without further notes.`,
  });
});
const named = (step: number) => tools[(step * 37) % TOOLS]?.name ?? '';
const input = (step: number) => ({ id: `A-${step}`, reason: 'The customer asked for it.' });
const search = (step: number): ScriptedReply => ({
  toolCalls: [{ name: 'search_tools', arguments: { query: named(step).replaceAll('_', ' ') } }],
});
const use = (step: number): ScriptedReply => ({
  toolCalls: [{ name: 'use_tool', arguments: { name: named(step), input: input(step) } }],
});
const call = (step: number): ScriptedReply => ({
  toolCalls: [{ name: named(step), arguments: input(step) }],
});
const script = (reply: (step: number) => ScriptedReply) =>
  Array.from({ length: STEPS }, (_, index) => (index + 1 < STEPS ? reply(index + 1) : 'Done.'));

const contestants = [
  { name: 'all', what: 'all in the prompt', toolSearch: false, replies: script(call) },
  {
    name: 'often',
    what: 'a search before each call',
    toolSearch: true,
    replies: script((step) => (step % 2 === 1 ? search(step) : use(step))),
  },
  {
    name: 'seldom',
    what: 'a search before every fifth call',
    toolSearch: true,
    replies: script((step) => (step % 6 === 1 ? search(step) : use(step))),
  },
];
const servers = await Promise.all(contestants.map(({ replies }) => startScriptedServer(replies)));
const agents = contestants.map(({ name, toolSearch }, index) =>
  defineAgent({
    name: `tools-${name}`,
    model: openai('scripted', { baseURL: servers[index]?.url ?? '', apiKey: 'none' }),
    tools,
    toolSearch,
    maxIterations: null,
  }),
);
const here = await startWorkerHere('tool-search', agents);
try {
  const rows: string[][] = [];
  for (const [index, { name, what }] of contestants.entries()) {
    const { usage } = await (await here.client.start(`tools-${name}`, 'Close what is open.')).result();
    const bodies = (servers[index]?.requests ?? []).map(({ body }) => JSON.stringify(body));
    const chars = bodies.reduce((sum, body) => sum + body.length, 0);
    const again = bodies.slice(1).reduce((sum, body, at) => sum + sameBeginning(bodies[at] ?? '', body), 0);
    rows.push([
      what,
      String(bodies.length),
      Math.round(chars / CHARS_PER_TOKEN).toLocaleString('en'),
      usage.promptTokens.toLocaleString('en'),
      `${((100 * again) / chars).toFixed(1)} %`,
    ]);
  }
  const head = [`${TOOLS} tools`, 'requests', 'tokens (chars/4)', 'messages (server)', 'as the one before'];
  console.log(aligned([head, ...rows]));
} finally {
  await here.stop();
  await Promise.all(servers.map((server) => server.close()));
}

function sameBeginning(before: string, next: string): number {
  let at = 0;
  while (at < before.length && before[at] === next[at]) at++;
  return at;
}
