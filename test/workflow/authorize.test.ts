import { afterEach, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { SentMessage } from '../../agent/rules/sender.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { reloop } from '../support/cli.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';
import { expectToldAsRecorded } from '../support/told-events.ts';

const paid: unknown[] = [];
const asked: SentMessage[] = [];
/** Answers of `authorize` that a test holds back. */
let gate: Promise<unknown> = Promise.resolve();
const told = new Map<string, RunEvent[]>();

const pay = defineTool({
  name: 'pay',
  description: 'pays',
  approval: { by: ['alice', 'carol'] },
  run(input) {
    paid.push(input);
    return 'paid';
  },
});

const once = () => modelOf((step) => (step === '1' ? act('pay', '9') : answer('done')));

const rig = useRig({
  agents: [
    { name: 'payer', model: once(), tools: [pay] },
    {
      name: 'boss',
      model: modelOf((step) => (step === '1' ? act('helper', 'go') : answer('done'))),
      tools: [agentTool({ name: 'helper', agent: 'payer', description: 'pays' })],
    },
  ],
  async authorize(word) {
    asked.push(word);
    await gate;
    if (word.credential === 'broken') throw new Error('the keys cannot be read');
    return word.credential === `proof of ${word.by}`;
  },
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});

const as = (by: string, id: string) => rig.client.as(by, `proof of ${by}`).get(id);

afterEach(() => {
  paid.splice(0);
  asked.splice(0);
  gate = Promise.resolve();
});

test('a decision is taken if authorize accepts its sender, and refused words change nothing', async () => {
  const run = await rig.client.start('payer', 'what?');
  await waitOf(run, { call: '1.1' });
  const approve = { type: 'approve' } as const;
  await expect(run.decide('1.1', approve)).rejects.toThrow(
    'only alice, carol may decide on 1.1. The decision has no name',
  );
  await expect(as('bob', run.id).decide('1.1', approve)).rejects.toThrow('bob is not one of them');
  expect(asked).toEqual([]);

  await expect(rig.client.as('alice', 'stolen').get(run.id).decide('1.1', approve)).rejects.toThrow(
    'approve: alice may not do that.',
  );
  await expect(rig.client.as('alice', 'broken').get(run.id).decide('1.1', approve)).rejects.toThrow(
    'authorize failed, so nothing was done: the keys cannot be read',
  );
  await expect(run.pause()).rejects.toThrow('pause: a sender without a name may not do that.');
  expect((await run.describe()).status).toBe('waiting');
  expect(
    (await allOf(run.events({ follow: false }))).filter(({ type }) => /decided|steered/u.test(type)),
  ).toEqual([]);

  await as('dave', run.id).say('hurry');
  await as('alice', run.id).decide('1.1', { type: 'approve', input: '7' });
  expect((await run.result()).output).toBe('done');
  expect(paid).toEqual(['7']);
  expect(asked.at(-1)).toEqual({
    type: 'approve',
    agent: 'payer',
    runId: run.id,
    call: '1.1',
    tool: 'pay',
    by: 'alice',
    credential: 'proof of alice',
    data: { input: '7' },
  });

  await expectToldAsRecorded(run, told);
  const exported = await run.export();
  expect(exported.decisions.map(({ decision }) => decision)).toEqual([
    { type: 'approve', input: '7', by: 'alice' },
  ]);
  expect(
    exported.audit?.map(({ word, by, call, refused }) => [word, by, call, refused !== undefined]),
  ).toEqual([
    ['start', null, undefined, false],
    ['approve', 'alice', '1.1', true],
    ['approve', 'alice', '1.1', true],
    ['pause', null, undefined, true],
    ['say', 'dave', undefined, false],
    ['approve', 'alice', '1.1', false],
  ]);
  expect(exported.audit?.every(({ identity }) => (identity ?? '') !== '')).toBe(true);
  expect(JSON.stringify(exported)).not.toContain('proof of');
});

test('of two decisions that authorize is asked about at a time one is taken, and the other refused', async () => {
  const run = await rig.client.start('payer', 'what?');
  await waitOf(run, { call: '1.1' });
  let open = (_: unknown) => undefined as unknown;
  gate = new Promise((resolve) => (open = resolve));
  const both = ['alice', 'carol'].map((by) => as(by, run.id).decide('1.1', { type: 'approve' }));
  const settled = Promise.allSettled(both);
  await expect.poll(() => asked.length).toBe(2);
  open(undefined);
  const outcomes = await settled;
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { name: 'DecisionRefused' },
  });
  await run.result();
  expect(paid).toHaveLength(1);
  await expectToldAsRecorded(run, told);
});

test('the wait of a sub-agent that is decided at its parent is authorized too', async () => {
  const run = await rig.client.start('boss', 'what?');
  await waitOf(run, { call: '1.1/1.1' });
  const approve = { type: 'approve' } as const;
  await expect(as('bob', run.id).decide('1.1/1.1', approve)).rejects.toThrow('bob is not one of them');
  await as('carol', run.id).decide('1.1/1.1', approve);
  await run.result();
  expect(paid).toHaveLength(1);
  expect(asked.map(({ by }) => by)).toEqual(['carol']);
});

test('a decision that authorize is asked about is taken, and the next worker goes on from there', async () => {
  const run = await rig.client.start('payer', 'what?');
  await waitOf(run, { call: '1.1' });
  const decision = as('alice', run.id).decide('1.1', { type: 'approve' });
  await expect.poll(() => asked.length).toBe(1);
  await rig.restart();
  await decision;
  await run.result();
  expect(paid).toHaveLength(1);
});

test('a command says in whose name it decides, with the proof from its environment', async () => {
  const run = await rig.client.start('payer', 'what?');
  await waitOf(run, { call: '1.1' });
  const reach = ['--address', rig.client.address, '--task-queue', rig.taskQueue];
  const approve = (by: string) =>
    reloop(['approve', run.id, '--as', by, ...reach], { RELOOP_CREDENTIAL: 'proof of alice' });
  const refused = approve('carol');
  expect(await refused.exit).not.toBe(0);
  expect(refused.stderr()).toContain('carol may not do that');
  expect(await approve('alice').exit).toBe(0);
  await run.result();
  const shown = reloop(['show', run.id, ...reach]);
  expect(await shown.exit).toBe(0);
  expect(shown.stdout() + shown.stderr()).toContain('Decision: approve, by alice');
});
