#!/usr/bin/env bash
# Software: Node 20.20.2 and 22.23.3 (npm's package `node`).
# Guess: AbortSignal.any([a, AbortSignal.timeout(ms)]) aborts after `ms` as long as somebody listens to it.
# What happens: on Node 20 it never aborts once the garbage collector has run in the meantime, though the composite
#   itself is held and has a listener. Nothing else holds the time-out signal, so it is collected with its timer. Node 22 is right.
# Seen on 2026-11-27:
#   v20.20.2: 0 of 100 composites aborted, 100 of 100 plain time-outs did
#   v22.23.3: 100 of 100 composites aborted, 100 of 100 plain time-outs did
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

cat > count.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
const held = [];
let composites = 0;
let plain = 0;
for (let i = 0; i < 100; i++) {
  const composite = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(2000)]);
  composite.addEventListener('abort', () => composites++);
  const timeout = AbortSignal.timeout(2000);
  timeout.addEventListener('abort', () => plain++);
  held.push(composite);
}
for (let i = 0; i < 5; i++) {
  await sleep(200);
  globalThis.gc();
}
await sleep(4000);
const aborted = held.filter((signal) => signal.aborted).length;
if (aborted !== composites) throw new Error('the listeners and `aborted` disagree');
console.log(`${process.version}: ${composites} of 100 composites aborted, ${plain} of 100 plain time-outs did`);
JS

installs=()
for version in 20.20.2 22.23.3; do
  npm install --silent --no-audit --no-fund --prefix "$version" "node@$version" &
  installs+=($!)
done
for install in "${installs[@]}"; do wait "$install"; done
for version in 20.20.2 22.23.3; do
  timeout 30 "$version/node_modules/node/bin/node" --expose-gc count.mjs | tee -a seen
done
printf '%s\n' \
  'v20.20.2: 0 of 100 composites aborted, 100 of 100 plain time-outs did' \
  'v22.23.3: 100 of 100 composites aborted, 100 of 100 plain time-outs did' > expected
diff expected seen
