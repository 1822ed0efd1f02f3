import { expect, test } from 'vitest';
import { type AgentRun, AgentClient, RunNotFound, RunNotTaking } from '../../client/index.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { allOf } from '../support/all-of.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

const told = new Map<string, RunEvent[]>();
const rig = useRig({
  agents: [
    {
      name: 'named-waits',
      model: modelOf((step) => (step === '1' ? act('broken', 'x') : answer('done'))),
      tools: [brokenTool()],
    },
    { name: 'asker', kind: 'tool-calling', model: modelOf(() => 'done') },
  ],
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
});

const audited = async (run: AgentRun) =>
  (await run.export()).audit?.map(({ word, by, identity }) => [word, by, (identity ?? '') !== '']);

const startedBy = async (run: AgentRun) => {
  const [first] = await allOf(run.events({ follow: false }));
  return first?.type === 'run_started' ? first.by : undefined;
};

test('a run records who started it, and who retried, rewound and forked it', async () => {
  const run = await rig.client.as('alice').start('named-waits', 'what?', { id: 'named-1' });
  await waitOf(run, { call: '1.1' });
  expect(told.get(run.id)?.[0]).toMatchObject({ type: 'run_started', by: 'alice' });
  await run.decide('1.1', { type: 'abort' });
  await expect(run.result()).rejects.toThrow('Aborted by the operator');
  await rig.client.as('bob').get(run.id).retry();
  await waitOf(run, { call: '1.1' });
  const fork = await rig.client.as('carol').get(run.id).fork({ step: 1, id: 'named-fork' });
  await waitOf(rig.client.get(fork.id), { call: '1.1' });

  expect(await startedBy(run)).toBe('alice');
  expect(await audited(run)).toEqual([
    ['start', 'alice', true],
    ['abort', 'alice', true],
    ['retry', 'bob', true],
  ]);
  expect((await audited(rig.client.get(fork.id)))?.at(-1)).toEqual(['fork', 'carol', true]);

  const shown = await reloopHere(['show', run.id, '--address', rig.client.address]);
  expect(shown.stdout).toContain('run named-1, by alice');
  expect(shown.stdout).toContain('Retried from call 1.1, by bob');
  const page = await reloopHere(['export', fork.id, '--html', '--address', rig.client.address]);
  expect(page.stdout).toMatch(/Started by<\/dt>\s*<dd>alice/u);
  expect(page.stdout).toContain('Forked from run named-1 at step 1, by carol');
});

test('a command, a message of a session and a start by hand bring the name', async () => {
  const reach = ['--address', rig.client.address, '--task-queue', rig.taskQueue, '--detach'];
  const config = ['--config', 'test/fixtures/configs/cli.config.ts'];
  const typed = ['run', 'asker', 'what?', '--id', 'named-typed', '--as', 'dave', ...config, ...reach];
  expect((await reloopHere(typed)).code).toBe(0);
  expect(await audited(rig.client.get('named-typed'))).toEqual([['start', 'dave', true]]);

  await rig.client.as('erin').run('asker', 'what?', { id: 'named-said', session: 'started-by' });
  expect(await startedBy(rig.client.get('named-said'))).toBe('erin');
  // The session's workflow has started the run.
  expect(await audited(rig.client.get('named-said'))).toEqual([['start', 'erin', false]]);

  await rig.temporal.workflow.execute('agentRun', {
    taskQueue: rig.taskQueue,
    workflowId: 'named-by-hand',
    args: [{ agent: 'asker', input: 'what?', by: 'frank' }],
  });
  expect(await startedBy(rig.client.get('named-by-hand'))).toBe('frank');
});

test('a name that cannot be recorded starts nothing', async () => {
  const started = rig.client.as(' ').start('asker', 'what?', { id: 'named-nobody' });
  await expect(started).rejects.toThrow('by is a text of 1 to 200 characters.');
  await expect(rig.client.get('named-nobody').describe()).rejects.toMatchObject({ name: 'RunNotFound' });
});

test('an id stands for one start: agent, question and options are compared', async () => {
  const options = { tags: ['started-with'], maxIterations: 3 };
  const run = await rig.client.start('asker', 'what?', { id: 'started-with', ...options });
  await run.result();
  const startedWith = run.startedWith.bind(run);
  expect([await run.exists(), await rig.client.get('started-never').exists()]).toEqual([true, false]);
  expect(await startedWith('asker', 'what?', { ...options, id: 'another', detach: true })).toBe(true);
  expect(await startedWith('named-waits', 'what?', options)).toBe(false);
  expect(await startedWith('asker', 'what else?', options)).toBe(false);
  expect(await startedWith('asker', 'what?', { ...options, tags: ['daily'] })).toBe(false);
  expect(await startedWith('asker', 'what?')).toBe(false);
  await expect(rig.client.get('started-never').startedWith('asker', 'what?')).rejects.toThrow(RunNotFound);
});

test('a decision in a name with a time to be taken is refused where no worker is', async () => {
  const client = new AgentClient(rig.temporal, rig.client.address, `nobody-${rig.taskQueue}`);
  const run = await client.start('asker', 'what?', { id: 'taken-by-nobody' });
  const hasty = client.as('alice', undefined, { takenWithinMs: 50 });
  await expect(hasty.get(run.id).pause()).rejects.toThrow(RunNotTaking);
  await expect(hasty.as('bob').get(run.id).pause()).rejects.toThrow(RunNotTaking);
  await run.cancel();
});
