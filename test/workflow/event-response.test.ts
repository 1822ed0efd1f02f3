import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { defineModel } from '../../adapters/models/model.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { allOf } from '../support/all-of.ts';
import { type Message, messagesOf } from '../support/sse.ts';

const broken = brokenTool('no');
/** What the page has; the model writes on when all that it wrote is there. */
let text = '';
const isThere = (written: string) => text === written;
const writes = defineModel({
  async call(_request, { onText }) {
    let written = '';
    for (const piece of [' I now', ' know', ' the final answer']) {
      written += piece;
      onText?.(piece);
      while (!isThere(written)) await sleep(50);
    }
    const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
    return { text: answer('ok'), toolCalls: [], finishReason: 'stop', usage };
  },
});

const rig = useRig({
  agents: [
    { name: 'waits', model: script(act('broken', 'x')), tools: [broken] },
    { name: 'writes', model: writes },
  ],
});

async function waitingRun() {
  const run = await rig.client.start('waits', 'what?');
  await waitOf(run);
  return run;
}

const page = (headers: { [name: string]: string } = {}, signal?: AbortSignal) =>
  new Request('http://127.0.0.1/events', { headers, ...(signal && { signal }) });

test('a response has the events of the run, says what can be decided of a call that waits, and ends with the run', async () => {
  const run = await waitingRun();
  const response = await run.toResponse({ headers: { 'x-own': 'yes', 'content-type': 'text/plain' } });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-own')).toBe('yes');
  const seen: Message[] = [];
  for await (const message of messagesOf(response)) {
    seen.push(message);
    if (message.event === 'waiting') await run.decide(undefined, { type: 'skip' });
  }
  const recorded = await allOf(run.events({ follow: false }));
  const ofRecord = seen.filter(({ event }) => event !== 'caught_up');
  expect(seen.length - ofRecord.length).toBe(1);
  expect(ofRecord.map(({ id, event }) => [id, event])).toEqual(
    recorded.map(({ eventId, type }) => [eventId, type]),
  );
  expect(seen.find(({ event }) => event === 'waiting')?.data).toMatchObject({
    wait: { call: '1.1', tool: 'broken' },
    decisions: expect.arrayContaining([
      { type: 'retry', does: 'Run the waiting call again', takes: { input: 'optional' } },
    ]),
  });
});

test('a page that comes back goes on behind the last event it had, and is told not to come back after the last', async () => {
  const run = await waitingRun();
  const left = new AbortController();
  const ids: string[] = [];
  for await (const { id, event } of messagesOf(await run.toResponse(page({}, left.signal)))) {
    ids.push(id ?? '');
    if (event === 'waiting') left.abort();
  }
  await run.decide(undefined, { type: 'skip' });
  await run.result();
  const rest = await run.toResponse(page({ 'last-event-id': ids.at(-1) ?? '' }));
  ids.push(...(await allOf(messagesOf(rest))).map(({ id }) => id ?? ''));
  const recorded = await allOf(run.events({ follow: false }));
  expect(ids).toEqual(recorded.map(({ eventId }) => eventId));
  const last = await run.toResponse(page({ 'last-event-id': ids.at(-1) ?? '' }));
  expect([last.status, last.body]).toEqual([204, null]);
});

test('an unknown place is refused before there is a response', async () => {
  const run = await waitingRun();
  await expect(run.toResponse(page({ 'last-event-id': 'x' }))).rejects.toMatchObject({
    name: 'InvalidInput',
  });
  await expect(rig.client.get('nobody').toResponse()).rejects.toMatchObject({ name: 'RunNotFound' });
  await run.cancel();
});

test('text that is written is sent as what is new of it', async () => {
  const run = await rig.client.start('writes', 'what?');
  const deltas: unknown[] = [];
  for await (const { event, data } of messagesOf(await run.toResponse())) {
    if (event !== 'model_text') continue;
    const { attempt, offset, delta } = data;
    expect(data).not.toHaveProperty('text');
    expect([attempt, offset]).toEqual([1, text.length]);
    text += String(delta);
    deltas.push(delta);
  }
  expect(deltas).toEqual([' I now', ' know', ' the final answer']);
});

test('a cancelled body ends the response', async () => {
  const run = await waitingRun();
  const response = await run.toResponse();
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(await reader?.closed).toBeUndefined();
  await run.cancel();
});
