#!/usr/bin/env bash
# Software: @ai-sdk/openai 3, @ai-sdk/openai-compatible 1 and 2, @ai-sdk/google 3, ollama-ai-provider-v2 (npm), as pinned below.
# Guess: where the connection ends before the model server gave a reason to finish, the stream of a model ends with an error.
# What happens: most packages write the last part themselves, with the reason "other" or "unknown", so that half an answer looks whole.
#   @ai-sdk/openai-compatible 2 says "error"; @ai-sdk/anthropic ends without that part. Only the missing raw reason and the missing
#   counts tell the cut stream, and Gemini's counts are there too, since Gemini sends them with each piece.
# Seen on 2026-11-28:
#   openai: {"unified":"other"}, not counted
#   openai-compatible 1: "unknown", not counted
#   openai-compatible 2: {"unified":"error"}, not counted
#   google: {"unified":"other"}, counted
#   ollama: {"unified":"other"}, not counted
#   anthropic: no finish
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat > cut.mjs <<'JS'
import http from 'node:http';
import { createAnthropic } from 'anthropic';
import { createGoogleGenerativeAI } from 'google';
import { createOllama } from 'ollama';
import { createOpenAI } from 'openai';
import { createOpenAICompatible as compatible1 } from 'compatible1';
import { createOpenAICompatible as compatible2 } from 'compatible2';

const text = 'The total is 4';
const event = (data) => `data: ${JSON.stringify(data)}\n\n`;
const pieces = {
  '/openai': event({ id: 'a', choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] }),
  '/google': event({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 },
  }),
  '/ollama': `${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content: text }, done: false })}\n`,
  '/anthropic': [
    { type: 'message_start', message: { id: 'a', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  ].map(event).join(''),
};
const server = http.createServer((request, response) => {
  request.resume();
  const way = Object.keys(pieces).find((start) => request.url.startsWith(start));
  response.writeHead(200, { 'content-type': way === '/ollama' ? 'application/x-ndjson' : 'text/event-stream' });
  response.end(pieces[way]);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

const base = `http://127.0.0.1:${server.address().port}`;
const settings = { name: 'p', baseURL: `${base}/openai`, apiKey: 'none' };
const models = {
  openai: createOpenAI(settings).chat('m'),
  'openai-compatible 1': compatible1(settings)('m'),
  'openai-compatible 2': compatible2(settings)('m'),
  google: createGoogleGenerativeAI({ ...settings, baseURL: `${base}/google` })('m'),
  ollama: createOllama({ baseURL: `${base}/ollama` })('m'),
  anthropic: createAnthropic({ ...settings, baseURL: `${base}/anthropic` })('m'),
};
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'What is the total?' }] }];
for (const [name, model] of Object.entries(models)) {
  const { stream } = await model.doStream({ prompt });
  let finish;
  for await (const part of stream) if (part.type === 'finish' || part.type === 'error') finish = part;
  const tokens = finish?.usage?.inputTokens;
  const isCounted = (tokens?.total ?? tokens) > 0;
  console.log(finish ? `${name}: ${JSON.stringify(finish.finishReason)}, ${isCounted ? '' : 'not '}counted` : `${name}: no finish`);
}
server.close();
JS

npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps \
  openai@npm:@ai-sdk/openai@3.0.141 compatible1@npm:@ai-sdk/openai-compatible@1.0.61 \
  compatible2@npm:@ai-sdk/openai-compatible@2.0.92 google@npm:@ai-sdk/google@3.0.141 \
  ollama@npm:ollama-ai-provider-v2@4.0.1 anthropic@npm:@ai-sdk/anthropic@3.0.140 zod@4.6.7
timeout 60 node cut.mjs | tee seen
printf '%s\n' \
  'openai: {"unified":"other"}, not counted' \
  'openai-compatible 1: "unknown", not counted' \
  'openai-compatible 2: {"unified":"error"}, not counted' \
  'google: {"unified":"other"}, counted' \
  'ollama: {"unified":"other"}, not counted' \
  'anthropic: no finish' > expected
diff expected seen
