import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentRun } from '../../client/index.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { eventOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** Effects are lines in a file: there are never two of one call, and each that is missing or unknown waits for a person. */
let rig: CrashRig;
let record = '';

beforeAll(async () => {
  rig = await startCrashRig({
    config: 'test/fixtures/once.config.ts',
    replies(request) {
      const text = JSON.stringify(request.body);
      const [, tool = '', input = ''] = /what: (\w+) ([\w-]+)/u.exec(text) ?? [];
      return text.includes(`Action Input: ${input}`) ? answer('ok') : act(tool, input);
    },
  });
});
afterEach(() => rig.killWorkers());
afterAll(() => rig.stop());

const start = (tool: string, input: string) => rig.client.start('payer', `what: ${tool} ${input}`);
const waiting = async (run: AgentRun) => (await eventOf(run.events(), 'waiting')).wait;
const did = (step: string, input: string) => linesOf(record).filter((line) => line === `${step} ${input}`);
const began = (...inputs: string[]) => until(() => inputs.every((input) => did('began', input).length > 0));
const inDoubt = { reason: 'doubt', error: { type: 'InDoubt' } };

function startWorker(name: string) {
  record = join(rig.folder, name);
  return rig.startWorker(record);
}

interface Operation {
  verb: 'pause' | 'unpause' | 'reset';
  flags?: { resetAttempts?: true; resetHeartbeat?: true };
}

/** Sends an operator's command on a call's activity, as the Temporal CLI does: its flags have other names in each version. */
async function operate(run: AgentRun, { verb, flags }: Operation): Promise<void> {
  const { workflowService } = rig.client.temporal;
  const of = { namespace: 'default', execution: { workflowId: run.id }, id: '1.1', ...flags };
  if (verb === 'pause') await workflowService.pauseActivity(of);
  else if (verb === 'unpause') await workflowService.unpauseActivity(of);
  else await workflowService.resetActivity(of);
}

async function stepOf(run: AgentRun): Promise<unknown> {
  const { intermediateSteps } = await run.result();
  return intermediateSteps[0]?.observation;
}

test('a worker that is killed leaves each call done, not done, or in doubt, and none done twice', async () => {
  const worker = startWorker('killed');
  const [before, after, unpaid, paid, paused] = await Promise.all([
    start('pay', 'late-intent'),
    start('pay', 'deaf-effect'),
    start('ledger', 'late-ledger'),
    start('ledger', 'deaf-ledger'),
    start('pay', 'deaf-paused'),
  ]);
  await began('late-intent', 'deaf-effect', 'late-ledger', 'deaf-ledger', 'deaf-paused');
  await operate(paused, { verb: 'pause' });
  await worker.killGroup();
  rig.startWorker(record);

  expect(await waiting(before)).toMatchObject(inDoubt);
  expect(did('effect', 'late-intent')).toHaveLength(0);
  expect(await waiting(after)).toMatchObject(inDoubt);
  expect(did('effect', 'deaf-effect')).toHaveLength(1);
  // The next attempt is called the first, and knows of no heartbeat.
  await operate(paused, { verb: 'unpause', flags: { resetAttempts: true, resetHeartbeat: true } });
  expect(await waiting(paused)).toMatchObject(inDoubt);
  expect(did('effect', 'deaf-paused')).toHaveLength(1);

  expect(await stepOf(paid)).toBe('was paid');
  expect(did('effect', 'deaf-ledger')).toHaveLength(1);
  expect(await stepOf(unpaid)).toBe('paid');
  expect(did('effect', 'late-ledger')).toHaveLength(0);
  expect(did('effect', 'works late-ledger')).toHaveLength(1);
  expect(did('looked', 'late-ledger')).toHaveLength(1);
});

test('a worker that is killed before the intent is stored has done nothing, and the call runs on the next', async () => {
  const worker = startWorker('trapped');
  writeFileSync(`${record}.trap`, '');
  const run = await start('pay', 'works-at-last');
  await worker.exit;
  rig.startWorker(record);
  expect(await stepOf(run)).toBe('paid');
  expect(did('effect', 'works-at-last')).toHaveLength(1);
});

test('a worker that stood still for longer than the heartbeat time-out may not take effect any more', async () => {
  const worker = startWorker('stopped');
  const run = await start('pay', 'stopped-one');
  await began('stopped-one');
  process.kill(-Number(worker.child.pid), 'SIGSTOP');
  rig.startWorker(record);
  expect(await waiting(run)).toMatchObject(inDoubt);
  writeFileSync(`${record}.go`, '');
  process.kill(-Number(worker.child.pid), 'SIGCONT');
  await until(() => did('refused', 'stopped-one').length > 0);
  expect(did('effect', 'stopped-one')).toHaveLength(0);
});

test('pause and reset of a running call leave it in doubt, whatever flags they have, and run nothing again', async () => {
  startWorker('operated');
  const operations: Operation[] = [
    { verb: 'pause' },
    { verb: 'reset' },
    { verb: 'reset', flags: { resetHeartbeat: true } },
  ];
  const calls = await Promise.all(
    operations.flatMap((operation) =>
      ['hears', 'deaf'].map(async (how) => {
        const input = [how, operation.verb, ...Object.keys(operation.flags ?? {})].join('-');
        return { run: await start('pay', input), input, operation };
      }),
    ),
  );
  await began(...calls.map(({ input }) => input));
  for (const { run, operation } of calls) await operate(run, operation);
  for (const { run, input } of calls) {
    expect(await waiting(run)).toMatchObject(inDoubt);
    expect(did('effect', input)).toHaveLength(1);
  }
});
