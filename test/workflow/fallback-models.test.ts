import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUsage } from '../../agent/values/vocabulary.ts';
import { defineTool, openai, z } from '../../index.ts';
import {
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
} from '../../features/testing/index.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { eventsOf, useRig } from '../support/rig.ts';
import { allOf } from '../support/all-of.ts';

/** Two model servers. The first one answers by `first.reply`, which a test sets. */
const first = { reply: (_prompt: string): ScriptedReply => ({ text: 'by first' }) };
const servers: ScriptedServer[] = [];
const outage: ScriptedReply = { status: 503, error: { message: 'overloaded' } };
const usage = { promptTokens: 1_000_000, completionTokens: 0 };
const [down, up] = await Promise.all([
  startScriptedServer(({ prompt }) => first.reply(prompt)),
  startScriptedServer(({ prompt }) => ({ text: prompt === 'short?' ? 'yes' : 'by second', usage })),
]);
servers.push(down, up);

/** A stream that the test writes itself: each request's text, and then `end` or `break`. */
const streams: Server[] = [];
async function stream(text: string, end: 'end' | 'break', until: AbortSignal): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
    until.addEventListener('abort', () => {
      const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      if (end === 'break') response.destroy();
      else response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  streams.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // a TCP server's is always the object form
}

const [firstSeen, secondSeen] = [new AbortController(), new AbortController()];
const at = (model: string, baseURL: string) => openai(model, { baseURL, apiKey: 'k' });
const models = {
  strong: at('strong-1', down.url),
  cheap: at('cheap-1', up.url),
  broken: at('broken-1', await stream('Hello wor', 'break', firstSeen.signal)),
  whole: at('whole-1', await stream('Bonjour', 'end', secondSeen.signal)),
};
const asks = defineTool({
  name: 'asks',
  description: 'Asks the model.',
  input: z.object({ text: z.string() }),
  run: (_input, ctx) => ctx.complete('short?'),
});
const rig = useRig({
  models,
  prices: { 'strong-1': { input: 10, output: 0 }, 'cheap-1': { input: 1, output: 0 } },
  agents: [
    { name: 'talker', kind: 'tool-calling', model: ['strong', 'cheap'], tools: [asks] },
    { name: 'streams', kind: 'tool-calling', model: ['broken', 'whole'], tools: [] },
    {
      name: 'quick',
      kind: 'tool-calling',
      model: ['strong', { model: 'cheap', on: ['ModelTimeout', 'ModelBadRequest'] }],
      requestTimeout: 5_000,
      modelRetry: { maxAttempts: 1 },
      onModelFailure: 'fail',
    },
    { name: 'alone', kind: 'tool-calling', model: 'cheap' },
  ],
});

beforeAll(() => {
  down.requests.length = 0;
});
afterAll(async () => {
  for (const server of streams) server.close().closeAllConnections();
  await Promise.all(servers.map((server) => server.close()));
});

const callsTool: ScriptedReply = {
  toolCalls: [{ name: 'asks', arguments: { text: 'x' } }],
  usage,
};

test('the next model goes on with the conversation, at its own price, and the record says which one answered', async () => {
  first.reply = (prompt) => (prompt === 'short?' || prompt.includes('yes') ? outage : callsTool);
  const run = await rig.client.start('talker', 'Ask it.');
  const { output, intermediateSteps, usage: sum } = await run.result();
  expect([output, intermediateSteps[0]?.observation]).toEqual(['by second', 'yes']);

  const events = await eventsOf(run);
  const turns = events.flatMap((event) => (event.type === 'model_ended' ? [event.turn] : []));
  expect(turns).toMatchObject([
    { answeredBy: { adapter: 'strong', model: 'strong-1' }, usage: { cost: 10 } },
    {
      answeredBy: { adapter: 'cheap', model: 'cheap-1' },
      usage: { cost: 1 },
      warnings: [
        expect.stringMatching(
          /^strong \(strong-1\) failed \(ModelServerError\): .*overloaded.* So cheap \(cheap-1\) was asked\.$/su,
        ),
      ],
    },
  ]);
  expect(turns[0]?.warnings).toBeUndefined();
  expect(sum).toMatchObject({ cost: 12, modelCalls: 3 });
  expect(turns.map((turn) => turn.usage).reduce(addUsage)).toMatchObject({ cost: 11 });
  // No attempt has failed: the second model was asked in the same one.
  expect(events.flatMap((event) => (event.type === 'model_ended' ? [event.attempts] : []))).toEqual([1, 1]);
  expect(up.requests.at(-1)?.body).toMatchObject({
    model: 'cheap-1',
    messages: [
      { role: 'system' },
      { role: 'user' },
      { role: 'assistant', tool_calls: [{}] },
      { role: 'tool', content: 'yes' },
    ],
  });
  const shown = await reloopHere(['show', run.id, '--prompt', '2', '--json'], {
    TEMPORAL_ADDRESS: rig.client.address,
    TEMPORAL_TASK_QUEUE: rig.taskQueue,
  });
  expect(JSON.parse(shown.stdout)).toMatchObject({ exact: true, request: { model: 'cheap-1' } });
  const printed = await reloopHere(['show', run.id], { TEMPORAL_ADDRESS: rig.client.address });
  expect(printed.stderr + printed.stdout).toMatch(/\[2\] cheap \(cheap-1\) · /u);
});

test('a reply that broke off is not mixed with the next model’s, live or recorded', async () => {
  const run = await rig.client.start('streams', 'Hello?');
  const texts: string[] = [];
  for await (const event of run.events()) {
    if (event.type !== 'model_text') continue;
    texts.push(event.text);
    (event.text === 'Hello wor' ? firstSeen : secondSeen).abort();
  }
  expect([...new Set(texts)]).toEqual(['Hello wor', 'Bonjour']);
  expect(await run.result()).toMatchObject({ output: 'Bonjour' });
});

test('a model that is silent for requestTimeout is followed by the next one', async () => {
  first.reply = () => ({ hang: true });
  expect(await rig.client.run('quick', 'Hello?')).toMatchObject({ output: 'by second' });
});

test('only the failures that the list names move on to the next model', async () => {
  const asked = up.requests.length;
  first.reply = () => outage;
  await expect(rig.client.run('quick', 'Hello?')).rejects.toMatchObject({ type: 'ModelServerError' });
  expect(up.requests).toHaveLength(asked);
  first.reply = () => ({ status: 400, error: { message: 'no such parameter' } });
  expect(await rig.client.run('quick', 'Hello?')).toMatchObject({ output: 'by second' });
});

test('a run names one model, which has no other one after it', async () => {
  const asked = down.requests.length;
  first.reply = () => outage;
  const run = await rig.client.start('talker', 'Hello?', { model: 'cheap' });
  expect(await run.result()).toMatchObject({ output: 'by second' });
  expect(down.requests).toHaveLength(asked);
});

test('nothing of it is in the record of an agent with one model', async () => {
  const run = await rig.client.start('alone', 'Hello?');
  const events = await allOf(run.events({ live: false }));
  const [turn] = events.flatMap((event) => (event.type === 'model_ended' ? [event.turn] : []));
  expect(turn).toMatchObject({ text: 'by second' });
  expect(turn).not.toHaveProperty('answeredBy');
  const { agents } = await run.export();
  expect(agents).toMatchObject([{ manifest: { adapter: 'cheap', model: 'cheap-1' } }]);
  expect(agents[0]?.manifest).not.toHaveProperty('fallbacks');
});
