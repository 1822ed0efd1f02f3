#!/usr/bin/env bash
# Software: @langchain/openai 1.6.0 with @langchain/core 1.4.0 (npm; Node 20).
# Guess: the answer of `new ChatOpenAI({ streaming: true }).invoke(…)` is there when the server's stream has ended. The server is asked,
#   and nobody else.
# What happens: the client then counts the tokens by itself, also if the server has sent the usage, and asks a host of the public internet
#   for a tokenizer. Where that host cannot be reached it asks 14 times, with pauses, and the answer waits for one to three minutes.
#   Without `streaming: true`, and with `.stream(…)`, nobody else is asked.
# Seen on 2026-11-28 (fetch is replaced here: other hosts than the loopback fail, and time-outs of the pauses end at once):
#   invoke, streaming: 14 requests elsewhere, pauses of over a minute: true, answer: Hello
#   invoke: 0 requests elsewhere, pauses of over a minute: false, answer: Hello
#   stream: 0 requests elsewhere, pauses of over a minute: false, answer: Hello
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline @langchain/openai@1.6.0 @langchain/core@1.4.0

cat > ask.mjs <<'JS'
import http from 'node:http';
import { ChatOpenAI } from '@langchain/openai';

const fields = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
const chunk = (delta, finish_reason = null) => ({ ...fields, choices: [{ index: 0, delta, finish_reason }] });
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const parts = [chunk({ role: 'assistant', content: 'Hello' }), chunk({}, 'stop'), { ...fields, choices: [], usage }];
const whole = { ...fields, object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }], usage };
const server = http.createServer(async (request, answer) => {
  let body = '';
  for await (const part of request) body += part;
  if (JSON.parse(body).stream !== true) {
    answer.writeHead(200, { 'content-type': 'application/json' });
    return answer.end(JSON.stringify(whole));
  }
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.end([...parts.map((part) => JSON.stringify(part)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;

let elsewhere = 0;
let pauses = 0;
const { fetch, setTimeout: wait } = globalThis;
globalThis.fetch = async (url, options) => {
  if (new URL(url.url ?? url).hostname === '127.0.0.1') return fetch(url, options);
  elsewhere++;
  throw new TypeError('fetch failed');
};
globalThis.setTimeout = (call, ms = 0, ...more) => {
  // Pauses between two tries; the time-out of a request is longer.
  if (ms < 900 || ms > 100_000) return wait(call, ms, ...more);
  pauses += ms;
  return wait(call, 0, ...more);
};
console.error = console.warn = () => {};
const model = (options) => new ChatOpenAI({ apiKey: 'key', model: 'm', maxRetries: 0, configuration: { baseURL }, ...options });
const ways = {
  'invoke, streaming': async () => (await model({ streaming: true }).invoke('Hello')).content,
  invoke: async () => (await model({}).invoke('Hello')).content,
  async stream() {
    let text = '';
    for await (const { content } of await model({}).stream('Hello')) text += content;
    return text;
  },
};
for (const [name, ask] of Object.entries(ways)) {
  elsewhere = pauses = 0;
  const answer = await ask();
  console.log(`${name}: ${elsewhere} requests elsewhere, pauses of over a minute: ${pauses > 60_000}, answer: ${answer}`);
}
process.exit(0);
JS
timeout 120 node ask.mjs | tee seen
diff seen - <<'SEEN'
invoke, streaming: 14 requests elsewhere, pauses of over a minute: true, answer: Hello
invoke: 0 requests elsewhere, pauses of over a minute: false, answer: Hello
stream: 0 requests elsewhere, pauses of over a minute: false, answer: Hello
SEEN
