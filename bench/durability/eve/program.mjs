// eve as its makers say for a server of one's own. Docs in its package: "Self-Host eve" (`eve build`, then the server of .output, which `eve start` runs; the
// default world keeps its state under .eve/.workflow-data on a lasting disk), "eve" (sessions over HTTP; a caller that retries passes an `operationId`),
// "Authentication" (httpBasic), "Sessions, Runs & Streaming" (the recorded events; cancel).
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isDeployed } from '../adapters/offered.ts';
import { isConversation, serve, stateFolder } from '../adapters/serve.ts';

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
process.env.EVE_TELEMETRY_DISABLED = '1';
// Not of the docs: how long a step that was under way is left to its dead process. With the default, 860 s, no run goes on within a quarter of an hour.
process.env.WORKFLOW_INLINE_OWNERSHIP_LEASE_SECONDS ??= '10';
for (const version of ['first', 'later']) if (!existsSync(`${stateFolder}/${version}`)) build(version);
process.chdir(`${stateFolder}/${isDeployed ? 'later' : 'first'}/app`);
const port = await freePort();
Object.assign(process.env, { HOST: '127.0.0.1', NITRO_HOST: '127.0.0.1', PORT: port, NITRO_PORT: port });
await import(`${process.cwd()}/.output/server/index.mjs`);

/** Builds a version of the app beside the other one. Both have the same state. */
function build(version) {
  const folder = `${stateFolder}/${version}.new`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/app/.eve`, { recursive: true });
  mkdirSync(`${stateFolder}/data`, { recursive: true });
  for (const file of ['adapters', 'stories.ts']) symlinkSync(pathOf(`../${file}`), `${folder}/${file}`);
  for (const file of ['agent', 'package.json'])
    cpSync(pathOf(file), `${folder}/app/${file}`, { recursive: true });
  symlinkSync(pathOf('node_modules'), `${folder}/app/node_modules`);
  symlinkSync(`${stateFolder}/data`, `${folder}/app/.eve/.workflow-data`);
  if (version === 'first') rmSync(`${folder}/app/agent/tools/look.mjs`);
  const env = { ...process.env, DURABILITY_DEPLOY: version === 'first' ? '' : '2' };
  execFileSync(process.execPath, ['node_modules/eve/bin/eve.js', 'build'], {
    cwd: `${folder}/app`,
    env,
    stdio: 'inherit',
  });
  renameSync(folder, `${stateFolder}/${version}`);
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `${free}`;
}

const headers = { authorization: `Basic ${btoa('client:secret')}`, 'content-type': 'application/json' };
async function call(path, body) {
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}/eve/v1/session${path}`, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return text;
}

/** Sessions of threads: a client keeps their ids, and the first message. */
const fileOf = (thread) => `${stateFolder}/${thread}.session`;
const sessionOf = (thread) =>
  existsSync(fileOf(thread)) ? JSON.parse(readFileSync(fileOf(thread), 'utf8')) : undefined;
/**
 * Begins a thread's session, or finds it: a caller that got no answer asks again, and the session that began first keeps the operation. A
 * conversation begins without a message.
 */
async function open(thread, message) {
  const first = isConversation(thread) ? {} : { message };
  const { sessionId } = JSON.parse(await call('', { ...first, operationId: thread }));
  writeFileSync(`${fileOf(thread)}.new`, JSON.stringify({ id: sessionId, message, at: Date.now() }));
  renameSync(`${fileOf(thread)}.new`, fileOf(thread));
}
async function eventsOf(thread) {
  const session = sessionOf(thread);
  if (session === undefined) return [];
  const text = await call(`/${session.id}/stream?follow=false`);
  const lines = text.split('\n').filter(Boolean);
  // Another session may have the operation: "Retry the operation after startup when you need its canonical session ID."
  if (lines.length === 0 && Date.now() > session.at + 5000) await open(thread, session.message);
  return lines.map((line) => JSON.parse(line));
}
/** Events of a message and after it. */
function after(events, question) {
  const place = events.findIndex(
    ({ type, data }) => type === 'message.received' && data.message === question,
  );
  return place < 0 ? [] : events.slice(place);
}

const questions = new Map();
serve({
  async start(id, question, thread) {
    questions.set(id, question);
    if (sessionOf(thread) === undefined) await open(thread, question);
    if (isConversation(thread) && after(await eventsOf(thread), question).length === 0)
      await call(`/${sessionOf(thread).id}`, { message: question });
  },
  async read(id, thread) {
    const events = after(await eventsOf(thread), questions.get(id) ?? sessionOf(thread)?.message);
    const end = events.find(({ type }) => /^turn\.(completed|failed|cancelled)$/.test(type));
    if (end?.type === 'turn.cancelled') return { state: 'cancelled' };
    if (end?.type === 'turn.failed') return { state: 'failed', error: end.data.message };
    const said = events.slice(0, events.indexOf(end)).findLast(({ type }) => type === 'message.completed');
    if (end !== undefined) return { state: 'done', answer: said?.data.message };
    return { state: pending(events) === undefined ? 'running' : 'waiting', reason: 'approval' };
  },
  async approve(id) {
    const requestId = pending(await eventsOf(id));
    await call(`/${sessionOf(id).id}`, { inputResponses: [{ requestId, optionId: 'approve' }] });
  },
  async cancel(id) {
    const { status } = JSON.parse(await call(`/${sessionOf(id).id}/cancel`, {}));
    if (status !== 'accepted') throw new Error(status);
  },
});

/** The request that nobody has answered yet. */
function pending(events) {
  const resolved = events.flatMap(({ type, data }) => (type === 'input.resolved' ? data.resolutions : []));
  return events
    .flatMap(({ type, data }) => (type === 'input.requested' ? data.requests : []))
    .find(({ requestId }) => !resolved.some((one) => one.requestId === requestId))?.requestId;
}
