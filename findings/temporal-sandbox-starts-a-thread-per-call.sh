#!/usr/bin/env bash
# Software: @temporalio/worker 1.24.0 (npm), Node 20.20.2.
# Guess: a worker guards a workflow against endless loops at a small cost, and no longer with `debugMode: true`.
# What happens: each call into the sandbox has a time limit, four or five in a workflow task. Node starts a thread for a call with a time
#   limit, and ends it after the call: such a call took 50 us of processor time, and 2 us without. `debugMode` makes the limit 49 days
#   long, and each call starts its thread all the same. No option turns it off.
# Seen on 2026-11-29:
#   3 workflow tasks: 14 calls with a limit of 4294967295 ms
#   threads while a call runs: 1 more with a limit, 0 more without
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-audit --no-fund --ignore-scripts @temporalio/worker@1.24.0 @temporalio/workflow@1.24.0

cat > workflows.cjs <<'JS'
const { proxyActivities } = require('@temporalio/workflow');
const { look } = proxyActivities({ startToCloseTimeout: '1 minute' });
exports.twice = async () => {
  await look();
  await look();
};
JS

cat > replay.cjs <<'JS'
const vm = require('node:vm');
const { readFileSync } = require('node:fs');

const limits = [];
const { runInContext } = vm.Script.prototype;
vm.Script.prototype.runInContext = function (context, options) {
  if (options?.timeout !== undefined) limits.push(options.timeout);
  return runInContext.call(this, context, options);
};
const { DefaultLogger, Runtime, Worker } = require('@temporalio/worker');
Runtime.install({ logger: new DefaultLogger('ERROR') });

const events = [];
const taskQueue = { name: 'q' };
const add = (name, attributes) => {
  const field = name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase()) + 'EventAttributes';
  const eventTime = '2026-11-29T00:00:00Z';
  events.push({ eventId: `${events.length + 1}`, eventTime, eventType: `EVENT_TYPE_${name}`, [field]: attributes });
  return `${events.length}`;
};
const workflowTask = () => {
  const scheduledEventId = add('WORKFLOW_TASK_SCHEDULED', { taskQueue, startToCloseTimeout: '10s', attempt: 1 });
  const startedEventId = add('WORKFLOW_TASK_STARTED', { scheduledEventId });
  return add('WORKFLOW_TASK_COMPLETED', { scheduledEventId, startedEventId, sdkMetadata: {} });
};
add('WORKFLOW_EXECUTION_STARTED', {
  workflowType: { name: 'twice' },
  taskQueue,
  originalExecutionRunId: 'r',
  firstExecutionRunId: 'r',
  attempt: 1,
  workflowTaskTimeout: '10s',
});
let workflowTaskCompletedEventId = workflowTask();
for (const activityId of ['1', '2']) {
  const activityType = { name: 'look' };
  const times = { startToCloseTimeout: '60s', workflowTaskCompletedEventId };
  const scheduledEventId = add('ACTIVITY_TASK_SCHEDULED', { activityId, activityType, taskQueue, ...times });
  const startedEventId = add('ACTIVITY_TASK_STARTED', { scheduledEventId, attempt: 1 });
  add('ACTIVITY_TASK_COMPLETED', { scheduledEventId, startedEventId });
  workflowTaskCompletedEventId = workflowTask();
}
add('WORKFLOW_EXECUTION_COMPLETED', { workflowTaskCompletedEventId });

const threads = () => Number(/Threads:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
function threadsOfACall(options) {
  const context = vm.createContext({ threads });
  const before = threads();
  return new vm.Script('threads()').runInContext(context, options) - before;
}

(async () => {
  const [withLimit, without] = [threadsOfACall({ timeout: 5000 }), threadsOfACall({})];
  limits.length = 0;
  await Worker.runReplayHistory({ workflowsPath: require.resolve('./workflows.cjs'), debugMode: true }, { events }, 'w');
  const tasks = events.filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_STARTED').length;
  console.log(`${tasks} workflow tasks: ${limits.length} calls with a limit of ${[...new Set(limits)].join(' and ')} ms`);
  console.log(`threads while a call runs: ${withLimit} more with a limit, ${without} more without`);
  process.exit(0);
})();
JS

timeout 60 node replay.cjs | tee seen
printf '%s\n' \
  '3 workflow tasks: 14 calls with a limit of 4294967295 ms' \
  'threads while a call runs: 1 more with a limit, 0 more without' | diff - seen
