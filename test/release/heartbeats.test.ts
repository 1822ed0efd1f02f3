import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import type { Heartbeats } from '../../config/heartbeats-option.ts';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { type DevServer, freePort, startDevServer } from '../support/dev-server.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** Two of a frugal worker's intervals of 6 s, and a bit less than the next. */
const LONG_MS = 13_000;
/** Longer than the server and the SDK's worker, together, would wait for a sign of life. */
const VERY_LONG_MS = 40_000;
/** Checkpoints of a call, two seconds apart: together likewise. */
const STORED = 10;

const attempts = new Map<string, number>();
const modes: { [name: string]: Heartbeats } = {
  lively: 'lively',
  frugal: 'frugal',
  steady: { everyMs: 3000 },
};

let server: DevServer;
let metricsPort: number;
const rigs = new Map<string, Rig>();

beforeAll(async () => {
  metricsPort = await freePort();
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  server = await startDevServer(path, ['--metrics-port', String(metricsPort)]);
  for (const [name, heartbeats] of Object.entries(modes))
    rigs.set(name, await startRig({ heartbeats, agents: [napper()] }, {}, server.address));
});
afterAll(async () => {
  for (const rig of rigs.values()) await rig.stop();
  await server.stop();
});

test('heartbeats are as rare as the setting says, and each is one that the server has had', async () => {
  const naps = await Promise.all([
    nap('lively', LONG_MS),
    nap('steady', LONG_MS),
    nap('frugal', LONG_MS),
    nap('frugal', VERY_LONG_MS),
    nap('frugal', 'storing'),
    nap('frugal', 100),
  ]);
  const [lively, steady, frugal, long, storing, short] = naps;

  expect(lively).toBeGreaterThanOrEqual(6); // of a loaded machine, that is
  expect(lively).toBeLessThanOrEqual(13);
  expect(steady).toBeGreaterThanOrEqual(2);
  expect(steady).toBeLessThanOrEqual(4);
  expect([1, 2]).toContain(frugal);
  expect(long).toBeGreaterThanOrEqual(4);
  expect(long).toBeLessThanOrEqual(6);
  // What is stored is no sign of life to the SDK's worker, which is given some on top.
  expect(storing).toBeGreaterThanOrEqual(STORED + 1);
  expect(storing).toBeLessThanOrEqual(STORED + 6);
  expect(short).toBe(0);
  expect(await heartbeatsAtServer()).toBe(lively + steady + frugal + long + storing);
  expect([...attempts.values()]).toEqual([1, 1, 1, 1, 1, 1]);
});

test('a checkpoint is stored at once, however rare the heartbeats', async () => {
  const { client, temporal } = rigOf('frugal');
  const run = await client.start('napper', 'checkpoint');
  await eventOf(run.events(), 'tool_progress', ({ text }) => text === 'stored');
  const { raw } = await temporal.workflow.getHandle(run.id).describe();
  const details = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads?.[0]?.data;
  expect(JSON.parse(Buffer.from(details ?? []).toString())).toMatchObject({ checkpoint: 'page 7' });
  // Of the run: its start, two activities and the agent's; of calls under way, what they have sent so far.
  const { usage } = await run.describe();
  expect(usage.actions).toBeGreaterThanOrEqual(4);
  await run.cancel();
  await expect(run.result()).rejects.toThrow('cancelled');
  const over = await run.describe();
  expect(over.usage.actions).toBeGreaterThanOrEqual(usage.actions ?? Infinity);
});

/** How many heartbeats a call of so many milliseconds has sent, by what `describe` counts on top of the run's events. */
async function nap(mode: string, ms: number | 'storing'): Promise<number> {
  const { client, temporal } = rigOf(mode);
  const run = await client.start('napper', String(ms));
  expect(await run.result()).toMatchObject({ output: 'rested' });
  const { usage } = await run.describe();
  const { events = [] } = await temporal.workflow.getHandle(run.id).fetchHistory();
  const billed = (events ?? []).filter(
    (event) =>
      event.workflowExecutionStartedEventAttributes ??
      event.activityTaskScheduledEventAttributes ??
      event.markerRecordedEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes,
  );
  return (usage.actions ?? Number.NaN) - billed.length;
}

async function heartbeatsAtServer(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const counts = text
    .split('\n')
    .filter((line) => /^service_requests\{.*operation="RecordActivityTaskHeartbeat".*"frontend"/u.test(line))
    .map((line) => Number(line.slice(line.lastIndexOf(' '))));
  return counts.reduce((sum, count) => sum + count, 0);
}

function rigOf(mode: string): Rig {
  const rig = rigs.get(mode);
  if (rig === undefined) throw new Error(`There is no rig ${mode}.`);
  return rig;
}

function napper(): AgentDefinition {
  const tool = defineTool({
    name: 'nap',
    description: 'takes its time',
    async run(input, { callId, runId, signal, checkpoint, progress }) {
      const call = `${runId} ${callId}`;
      attempts.set(call, (attempts.get(call) ?? 0) + 1);
      if (input === 'storing') {
        for (let page = 0; page < STORED; page++) {
          await checkpoint(page);
          await sleep(2000, undefined, { signal });
        }
        return 'slept';
      }
      if (input !== 'checkpoint') return sleep(Number(input), 'slept', { signal });
      await checkpoint('page 7');
      progress('stored');
      return sleep(60_000, 'slept', { signal });
    },
  });
  return {
    name: 'napper',
    tools: [tool],
    model: modelOf((step, request) => {
      const question = /Question: (\S+)\n(?![^]*Question:)/u.exec(promptOf(request))?.[1] ?? '';
      return step === '1' ? act('nap', question) : answer('rested');
    }),
  };
}
