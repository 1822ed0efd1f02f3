import { expect, test, vi } from 'vitest';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { createGate } from '../support/gate.ts';
import { continuedAfter, eventOf, eventsOf, useRig, waitOf } from '../support/rig.ts';
import { brokenTool, gatedTool } from '../support/sample-tools.ts';
import { act, answer, modelOf, promptOf, script } from '../support/scripts.ts';

/** Runs and backtests that are continued as new after every turn. */

const STEPS = 7;
/** Three of these are less than what is carried along, each more than what is handed over with the last turn. */
const LONG = 'x'.repeat(140_000);

const model = modelOf((step) => (Number(step) <= STEPS ? act('long', step) : answer('ok')));
const long = defineTool({
  name: 'long',
  description: 'a lot of text',
  maxOutputChars: 1_000_000,
  run: (input) => `result ${input} ${LONG}`,
});

/** Called when the tool that hears nothing has begun; lets it end. */
let onBegun: (end: () => void) => void = () => undefined;
const unminding = defineTool({
  name: 'unminding',
  description: 'ends when it likes',
  run: () => new Promise((resolve) => onBegun(() => resolve('done all the same'))),
});

const gate = createGate();
const slow = gatedTool(gate);
const steered = modelOf((step) => (Number(step) < 5 ? act('slow', step) : answer('ok')));

const PAUSES = 6;
const asking = modelOf((step) => (Number(step) <= PAUSES ? act('broken', step) : answer('ok')));

let calls = 0;
const count = defineTool({ name: 'count', description: 'counts', run: () => `${++calls}` });
const counting = modelOf((step) => (Number(step) <= 4 ? act('count', 'x') : answer('ok')));

// A run of one turn is long enough to be continued as new.
const rig = useRig(
  {
    agents: [
      { name: 'a', model, tools: [long], trimIntermediateSteps: 3 },
      { name: 'b', model: script(act('unminding', 'x')), tools: [unminding] },
      { name: 'steered', model: steered, tools: [slow], maxIterations: 1, onLimit: 'ask' },
      { name: 'counting', model: counting, tools: [count] },
      { name: 'asking', model: asking, tools: [brokenTool()] },
      {
        name: 'above',
        model: script(act('asking', 'x')),
        tools: [agentTool({ agent: 'asking', description: 'asks' })],
      },
    ],
    // Nobody listens on port 1: the deliveries stay open.
    webhooks: [
      { on: ['waiting', 'completed'], url: 'http://127.0.0.1:1', secret: 'whsec_MTIz', agents: ['asking'] },
    ],
  },
  // Each model call rests on what was recorded alone.
  { transcriptCacheBytes: 1, server: continuedAfter(12) },
);

test('results that are too long to go along are still whole after the second and every later continue-as-new', async () => {
  const run = await rig.client.start('a', 'what?');
  expect((await run.result()).output).toBe('ok');
  expect((await eventsOf(run)).filter(({ type }) => type === 'continued').length).toBeGreaterThanOrEqual(
    STEPS - 1,
  );
  const observed = model.requests.map(({ request }) =>
    [...promptOf(request).matchAll(/^Observation: (result \d+ x+|null)$/gmu)].map(([, text]) => text),
  );
  const upTo = (step: number) =>
    [step - 2, step - 1, step].filter((n) => n > 0).map((n) => `result ${n} ${LONG}`);
  expect(observed).toEqual(Array.from({ length: STEPS + 1 }, (_, step) => upTo(step)));
}, 60_000);

test('a run that is cancelled as it would be continued as new is cancelled', async () => {
  const begun = new Promise<() => void>((resolve) => (onBegun = resolve));
  const run = await rig.client.start('b', 'what?');
  const end = await begun;
  await run.cancel();
  end();
  await expect(run.result()).rejects.toMatchObject({
    name: 'AgentRunCancelled',
    report: { intermediateSteps: [{ observation: 'done all the same' }] },
  });
});

test('messages and extensions from before a continue-as-new hold after it, at every later limit too', async () => {
  const run = await rig.client.start('steered', 'what?');
  await eventOf(run, 'tool_started');
  await run.extend({ iterations: 2 });
  await run.say('Be brief.');
  for (let turn = 1; turn <= 3; turn++) await gate.open();
  const wait = await waitOf(run);
  expect(wait).toMatchObject({ call: '4', error: { message: 'The limit of 3 iterations is reached.' } });
  await run.say('In English.');
  await run.extend({ iterations: 2 });
  await gate.open();
  expect(await run.result()).toMatchObject({ output: 'ok', iterations: 5 });
  const types = (await eventsOf(run)).map(({ type }) => type);
  expect(types.filter((type) => type === 'continued').length).toBeGreaterThanOrEqual(2);
  expect(types).not.toContain('unheard');
  const last = promptOf(steered.requests.at(-1)?.request);
  expect(last).toContain('Observation: slow 1\nMessage from the user: Be brief.\nThought:');
  expect(last).toContain('Observation: slow 3\nMessage from the user: In English.\nThought:');
}, 60_000);

test('a pause from before a continue-as-new holds after it', async () => {
  const run = await rig.client.start('above', 'what?');
  await waitOf(run, { call: '1.1/1.1' });
  const below = rig.client.get(`${run.id}/1.1`);
  for (let step = 1; step <= PAUSES; step++) {
    await waitOf(below, { call: `${step}.1` });
    await below.decide(`${step}.1`, { type: 'skip' });
    // After the last decision the run ends, and a pause could come too late.
    if (step === PAUSES) break;
    // The run is about to continue as new: it waits until its parent knows that the wait is over.
    await below.pause();
    await below.resume();
  }
  expect((await run.result()).output).toBe('end of script');
}, 60_000);

test('webhooks get each wait and the end of a run that continues as new once', async () => {
  const run = await rig.client.start('asking', 'what?');
  for (let step = 1; step <= PAUSES; step++) {
    await waitOf(run, { call: `${step}.1` });
    await run.decide(`${step}.1`, { type: 'skip' });
  }
  await run.result();
  const events = (await eventsOf(run)).map(({ type }) => type);
  expect(events.filter((type) => type === 'continued').length).toBeGreaterThanOrEqual(2);
  const deliveries = await vi.waitUntil(
    async () => {
      const all = await allOf(rig.temporal.workflow.list({ query: `WorkflowType = 'webhookDelivery'` }));
      return all.length > PAUSES && all.map(({ workflowId }) => workflowId.replace(/.*_/u, '')).toSorted();
    },
    { timeout: 30_000 },
  );
  expect(deliveries).toEqual([
    'completed',
    ...Array.from({ length: PAUSES }, (_, n) => `waiting-${n + 1}-1-0`),
  ]);
}, 60_000);

test('a backtest and its runs go on as before over continue-as-new', async () => {
  const runs = [];
  for (let n = 0; n < 3; n++) runs.push(await rig.client.start('counting', `question ${n}`));
  for (const run of runs) await run.result();
  const made = calls;
  const backtest = await rig.client.backtest('counting', { runs: runs.map(({ id }) => id), concurrency: 1 });
  const report = await backtest.report();
  expect(report).toMatchObject({ status: 'completed', total: 3, totals: { same: 3, changed: 0 } });
  expect(calls).toBe(made);
  const { runId } = await rig.temporal.workflow.getHandle(backtest.workflowId).describe();
  expect(runId).not.toBe(await firstRunOf(backtest.workflowId));
  for (const { id, again } of report.runs) {
    const [then, now] = [await rig.client.get(id).describe(), await rig.client.get(again ?? '').describe()];
    const observed = now.intermediateSteps.map(({ observation }) => observation);
    expect(observed).toEqual(then.intermediateSteps.map(({ observation }) => observation));
    expect(new Set(observed).size).toBe(4);
    expect(now.runId).not.toBe(await firstRunOf(now.id));
  }
}, 60_000);

async function firstRunOf(workflowId: string): Promise<string | undefined> {
  const history = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
  return history.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId ?? undefined;
}
