#!/usr/bin/env bash
# Prometheus's OTLP receiver with the metrics of two workers. By hand: PROMETHEUS is a Prometheus 3, such as one that
# `go install github.com/prometheus/prometheus/cmd/prometheus@v0.316.0` builds (half an hour). Seen with 3.16: two series, with all 12
# requests. Ends with 1 if the workers write one series, or requests are missing.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
: "${PROMETHEUS:?Set PROMETHEUS to the binary of Prometheus 3}"
read -r prometheus < <(free_ports 1)
echo 'global: {scrape_interval: 1s}' > prometheus.yml
begin prometheus.log "$PROMETHEUS" --config.file=prometheus.yml --storage.tsdb.path="$dir/prometheus" \
  --web.listen-address="127.0.0.1:$prometheus" --web.enable-otlp-receiver
until_log prometheus.log 'ready to receive'
export OTEL_EXPORTER_OTLP_METRICS_ENDPOINT="http://127.0.0.1:$prometheus/api/v1/otlp/v1/metrics"
export OTEL_METRIC_EXPORT_INTERVAL=1000 OTEL_METRIC_EXPORT_TIMEOUT=900 OTEL_SERVICE_NAME=desk-worker
OTEL_METRICS_EXPORTER=otlp start_agents
OTEL_METRICS_EXPORTER=otlp begin worker.log node "$checkout/dist/cli/main.js" worker --address "127.0.0.1:$temporal"
until_log worker.log '^Worker ready'
for _ in 1 2 3 4 5 6; do reloop run desk 'What does a chair cost?' --address "127.0.0.1:$temporal" > /dev/null 2>&1; done
sleep 5
counted=$(curl -s "http://127.0.0.1:$prometheus/api/v1/query" --data-urlencode 'query=gen_ai_client_operation_duration_seconds_count' |
  python3 -c 'import json, sys; series = json.load(sys.stdin)["data"]["result"]; print(len(series), sum(int(one["value"][1]) for one in series))')
echo "series, requests: $counted"
[ "$counted" = '2 12' ]
