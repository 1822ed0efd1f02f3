# Sourced by the scripts beside it, in a built checkout. Starts Temporal, a worker and the gateway on free ports, with agents on scripted
# models; all of it ends with the script. Needs Python 3.11 or later, for the clients.
set -euo pipefail
checkout=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
dir=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill -INT "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do
    for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$pid" 2>/dev/null || true
  done
  rm -rf "$dir"
}
trap finish EXIT

# A program in the background, and a wait until its log has the text.
begin() { # LOG COMMAND…
  local log=$1; shift
  "$@" > "$dir/$log" 2>&1 & pids+=($!)
}
until_log() { # LOG TEXT
  for _ in $(seq 400); do grep -q "$2" "$dir/$1" && return; sleep 0.5; done
  echo "$1 never had: $2" >&2; tail -5 "$dir/$1" >&2; return 1
}
free_ports() { # NUMBER
  python3 -c 'import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in sockets])' "$1"
}
venv() { # PACKAGE…
  python3 -m venv "$dir/venv"
  "$dir/venv/bin/pip" install -q --disable-pip-version-check uv==0.13.9
  "$dir/venv/bin/uv" pip install -q -p "$dir/venv/bin/python" "$@"
}
reloop() { node "$checkout/dist/cli/main.js" "$@"; }

mkdir -p "$dir/app/node_modules"
cd "$dir/app"
for package in "$checkout"/node_modules/*; do ln -sfn "$package" node_modules/; done
ln -sfn "$checkout" node_modules/reloop
echo '{ "name": "app", "type": "module", "private": true }' > package.json
cat > reloop.config.ts <<C
import { NodeSDK } from '@opentelemetry/sdk-node';
import { defineAgent, defineConfig, defineTool, traceIds, z } from 'reloop';
import { scripted } from 'reloop/testing';

new NodeSDK({ idGenerator: traceIds }).start();
const kind = 'tool-calling' as const;
const price = defineTool({ name: 'price', description: 'Gives the price of a thing in euros.', input: z.object({ thing: z.string() }), effects: 'none', run: ({ thing }) => ({ thing, euros: 50 }) });
const refund = defineTool({ name: 'refund', description: 'Pays money back.', input: z.object({ id: z.string() }), effects: 'once', approval: 'always', run: ({ id }) => 'paid back for order ' + id });
const calling = (text: string, name: string, input: object, answer: string) => scripted([{ text, toolCalls: [{ name, arguments: input }] }, { text: answer }]);
const desk = defineAgent({ kind, name: 'desk', tools: [price], model: calling('Let me look up the price.', 'price', { thing: 'chair' }, 'A chair costs 50 euros.') });
const payer = defineAgent({ kind, name: 'payer', tools: [refund], model: calling('I will pay it back.', 'refund', { id: 'A-17' }, 'It is paid back.') });
const agents = [desk, payer];
${AGENTS:-}
export default defineConfig({ agents, telemetry: { contents: true } });
C
read -r temporal ui port < <(free_ports 3)
export OTEL_TRACES_EXPORTER=${OTEL_TRACES_EXPORTER:-none} OTEL_METRICS_EXPORTER=none OTEL_LOGS_EXPORTER=none
key=a-token-of-this-test base="http://127.0.0.1:$port"

start_agents() {
  begin dev.log node "$checkout/dist/cli/main.js" dev --port "$temporal" --ui-port "$ui" --no-watch
  until_log dev.log '^Worker'
  RELOOP_GATEWAY_TOKEN=$key begin serve.log node "$checkout/dist/cli/main.js" serve --port "$port" --address "127.0.0.1:$temporal"
  until_log serve.log '^Gateway'
}
runs() { # AGENT
  curl -s "$base/runs?agent=$1&limit=100" -H "Authorization: Bearer $key" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["runs"]))'
}
