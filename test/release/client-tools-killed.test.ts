import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, reloop } from '../support/cli.ts';
import { type CrashRig, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';

/** A call waits for its client while the worker and the gateway are killed with SIGKILL. */
const CONFIG = 'test/fixtures/client-tools.config.ts';
const TOKEN = 'a-token-of-this-test';

let rig: CrashRig;
const gateways: Command[] = [];
beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies: ({ prompt }) =>
      prompt.includes('dark red')
        ? 'Dark red suits you.'
        : { text: '', toolCalls: [{ name: 'pick', arguments: { shade: 'dark' } }] },
  });
}, 60_000);
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.killGroup()));
  await rig.stop();
});

async function startGateway(): Promise<{ command: Command; client: OpenAI }> {
  const port = await freePort();
  const args = ['serve', '--port', String(port), '--config', CONFIG, '--address', rig.server.address];
  const command = reloop(args, { OPENAI_BASE_URL: rig.model.url, RELOOP_GATEWAY_TOKEN: TOKEN });
  gateways.push(command);
  await command.prints('Gateway ready');
  return { command, client: new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: TOKEN }) };
}

test('the result is given at another gateway, to another worker', async () => {
  const worker = rig.startWorker();
  const first = await startGateway();
  const tools = [{ type: 'function' as const, function: { name: 'pick' } }];
  const question = { role: 'user' as const, content: 'Which colour suits me?' };
  const asked = await first.client.chat.completions.create({ model: 'shop', messages: [question], tools });
  const [message] = asked.choices.map((choice) => choice.message);
  const id = message?.tool_calls?.[0]?.id ?? '';
  await Promise.all([worker.killGroup(), first.command.killGroup()]);
  rig.startWorker();
  const second = await startGateway();
  const result = { role: 'tool' as const, tool_call_id: id, content: 'dark red' };
  const messages = [question, ...(message ? [message] : []), result];
  const answer = await second.client.chat.completions.create({ model: 'shop', messages, tools });
  expect(answer.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { content: 'Dark red suits you.' },
  });
}, 120_000);
