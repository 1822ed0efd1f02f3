#!/usr/bin/env bash
# Arize Phoenix with the spans of a worker. By hand: it installs 1 GB. Seen with 20.26.1: one LLM span for each model call, with tokens, input
# and output, and no LLM span of an attempt. Prints the spans; ends with 1 if a model call has no input or no output, or is there twice.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
venv arize-phoenix==20.26.1
read -r phoenix grpc < <(free_ports 2)
PHOENIX_WORKING_DIR="$dir/phoenix" PHOENIX_HOST=127.0.0.1 PHOENIX_PORT=$phoenix PHOENIX_GRPC_PORT=$grpc PHOENIX_TELEMETRY_ENABLED=false \
  begin phoenix.log "$dir/venv/bin/phoenix" serve
for _ in $(seq 240); do curl -sf -o /dev/null "http://127.0.0.1:$phoenix/" && break; sleep 1; done
export OTEL_TRACES_EXPORTER=otlp OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:$phoenix" OTEL_BSP_SCHEDULE_DELAY=500
start_agents
OTEL_TRACES_EXPORTER=none reloop run desk 'What does a chair cost?' --address "127.0.0.1:$temporal" > /dev/null 2>&1
sleep 5
cat > spans.py <<'P'
import json, sys, urllib.request
query = '{projects{edges{node{spans(first:50,sort:{col:startTime,dir:asc}){edges{node{name spanKind tokenCountTotal attributes}}}}}}}'
request = urllib.request.Request(f'http://127.0.0.1:{sys.argv[1]}/graphql', json.dumps({'query': query}).encode(), {'content-type': 'application/json'})
projects = json.load(urllib.request.urlopen(request, timeout=20))['data']['projects']['edges']
calls, whole = 0, 0
for span in [edge['node'] for project in projects for edge in project['node']['spans']['edges']]:
    llm = json.loads(span['attributes']).get('llm', {})
    has = [bool(llm.get(f'{way}_messages')) for way in ('input', 'output')]
    print(f"{span['name']:24} {span['spanKind']:8} tokens {span['tokenCountTotal']} input {has[0]} output {has[1]}")
    calls += span['spanKind'] == 'llm'
    whole += span['spanKind'] == 'llm' and all(has)
raise SystemExit(0 if calls == whole == 2 else 1)
P
python3 spans.py "$phoenix"
