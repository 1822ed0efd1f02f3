import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { ConfigDefinition } from '../../config/define.ts';
import { defineModel } from '../../adapters/models/model.ts';
import type { Hooks } from '../../agent/definition/hooks.ts';
import { contentText } from '../../agent/values/content.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { allOf } from '../support/all-of.ts';
import { eventsOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { expectToldAsRecorded } from '../support/told-events.ts';

/** The hooks of a test; each test sets its own. */
let hooks: Hooks = {};
const ran: unknown[] = [];
const told = new Map<string, RunEvent[]>();

const toolOf = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: 'looks a card up',
    ...more,
    run(input) {
      ran.push([name, input]);
      return `the card is ${input}`;
    },
  });

const askFor = (tool: string) => modelOf((step) => (step === '1' ? act(tool, '4111') : answer('done 4111')));
const models = { card: askFor('card'), quick: askFor('quick'), pay: askFor('pay'), helper: askFor('helper') };

/** Long enough for a reader in this process to get the text: test/workflow/live.test.ts. */
const WRITING_MS = 100;
const writer = defineModel({
  async call(_request, { onText }) {
    onText(' Final Answer: a draft');
    await sleep(WRITING_MS);
    return { text: answer('done'), toolCalls: [], finishReason: 'stop' };
  },
});

const thinker = defineTool({
  name: 'think',
  description: 'asks the model',
  run: (input, { complete }) => complete(`what is ${input}?`),
});

const config: ConfigDefinition = {
  agents: [
    { name: 'writer', model: writer },
    { name: 'thinker', model: askFor('think'), tools: [thinker] },
    {
      name: 'careful',
      model: askFor('careful'),
      tools: [toolOf('careful', { approval: 'always', retry: { maxAttempts: 1 } })],
    },
    { name: 'card', model: models.card, tools: [toolOf('card')] },
    { name: 'quick', model: models.quick, tools: [toolOf('quick', { effects: 'none', inline: true })] },
    { name: 'pay', model: models.pay, tools: [toolOf('pay', { effects: 'once', approval: 'always' })] },
    {
      name: 'boss',
      model: models.helper,
      tools: [agentTool({ name: 'helper', agent: 'card', description: 'helps' })],
    },
  ],
  hooks: {
    beforeModel: (...asked) => hooks.beforeModel?.(...asked),
    afterModel: (...asked) => hooks.afterModel?.(...asked),
    beforeTool: (...asked) => hooks.beforeTool?.(...asked),
    afterTool: (...asked) => hooks.afterTool?.(...asked),
  },
  onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
};
const rig = useRig(config);

afterEach(() => {
  hooks = {};
  ran.splice(0);
  for (const { requests } of Object.values(models)) requests.splice(0);
});

const mask = (text: Json) => asText(text).replaceAll('4111', '****');

const masking: Hooks = {
  beforeModel: ({ messages }) => ({
    messages: messages.map((message) => ({ ...message, content: mask(contentText(message.content)) })),
  }),
  afterModel: ({ text }) => ({ text: text.replace('done 4111', 'done ****') }),
  beforeTool: ({ input }) => ({ input: `${asText(input)}-2` }),
  afterTool: ({ observation }) => ({ observation: mask(observation), hideBefore: true }),
};

test.each(['card', 'quick'])(
  'the hooks of agent %s change all that passes them, on the record',
  async (name) => {
    hooks = masking;
    const run = await rig.client.start(name, 'is 4111 mine?');
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('done ****');
    expect(ran).toEqual([[name, '4111-2']]);
    const [step] = intermediateSteps;
    expect(step).toMatchObject({
      action: { toolInput: '4111-2' },
      observation: 'the card is ****-2',
      changes: [
        { hook: 'afterTool', part: 'observation', before: '(18 characters)', after: 'the card is ****-2' },
      ],
    });
    const sent = models[name === 'card' ? 'card' : 'quick'].requests.map(({ request }) => promptOf(request));
    expect(sent).toHaveLength(2);
    expect(sent.join()).not.toContain('4111');
    const events = await eventsOf(run);
    const made = events.flatMap((event) => (event.type === 'model_ended' ? (event.turn.changes ?? []) : []));
    expect(made.map(({ hook, call, part }) => [hook, call, part])).toEqual([
      ['beforeModel', undefined, 'messages[0]'],
      ['beforeTool', '1.1', 'input'],
      ['beforeModel', undefined, 'messages[0]'],
      ['afterModel', undefined, 'text'],
    ]);
    await expectToldAsRecorded(run, told);
  },
);

test('hooks that change nothing leave nothing in the record', async () => {
  hooks = { beforeModel: ({ messages }) => ({ messages }), afterTool: () => undefined };
  const run = await rig.client.start('card', 'what?');
  await run.result();
  expect(JSON.stringify(await eventsOf(run))).not.toContain('"changes"');
});

test('a refused call does not run, and the model gets the reason', async () => {
  hooks = { beforeTool: ({ tool }) => ({ refuse: `no ${tool} today` }) };
  const run = await rig.client.start('boss', 'what?');
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps).toMatchObject([{ observation: 'no helper today', attempts: 0 }]);
  expect(models.card.requests).toEqual([]);
  const [first] = (await eventsOf(run)).filter(({ type }) => type === 'model_ended');
  expect(first).toMatchObject({ turn: { changes: [{ hook: 'beforeTool', call: '1.1', part: 'refusal' }] } });
});

test('a person approves the input that beforeTool has made, and that input runs', async () => {
  hooks = { beforeTool: ({ input }) => ({ input: mask(input) }) };
  const run = await rig.client.start('pay', 'what?');
  expect(await waitOf(run)).toMatchObject({ call: '1.1', reason: 'approval', toolInput: '****' });
  hooks = { beforeTool: () => ({ input: 'another' }) };
  await run.decide('1.1', { type: 'approve' });
  await run.result();
  expect(ran).toEqual([['pay', '****']]);
});

test('nothing passes a hook that throws: the call waits for a person, who has it made again', async () => {
  hooks = {
    beforeTool() {
      throw Object.assign(new Error('the filter is down'), { retryable: false });
    },
  };
  const run = await rig.client.start('card', 'what?');
  const { call, error } = await waitOf(run);
  expect({ call, error }).toEqual({
    call: '1',
    error: {
      type: 'HookFailed',
      message: 'The hook beforeTool failed, so the call did not pass: the filter is down',
    },
  });
  expect(ran).toEqual([]);
  hooks = {};
  await run.decide('1', { type: 'retry' });
  expect((await run.result()).output).toBe('done 4111');
});

test('the observation of a call that happens once does not pass a failing hook, nor is the call made twice', async () => {
  hooks = {
    afterTool() {
      throw Object.assign(new Error('the filter is down'), { retryable: false });
    },
  };
  const run = await rig.client.start('pay', 'what?');
  await waitOf(run, { reason: 'approval' });
  await run.decide('1.1', { type: 'approve' });
  expect(await waitOf(run, { reason: 'doubt' })).toMatchObject({ call: '1.1' });
  await run.decide('1.1', { type: 'resolve', output: 'paid' });
  await run.result();
  expect(ran).toEqual([['pay', '4111']]);
});

test('a rewind while afterTool runs asks before it repeats the effect', async () => {
  let isCalled = false;
  hooks = {
    async afterTool(_step, { signal }) {
      isCalled = true;
      await sleep(60_000, undefined, { signal });
    },
  };
  const run = await rig.client.start('pay', 'what?');
  await waitOf(run, { reason: 'approval' });
  await run.decide('1.1', { type: 'approve' });
  await vi.waitUntil(() => isCalled, { timeout: 20_000 });
  hooks = {};
  await run.rewind({ step: 1 });
  expect(await waitOf(run, { reason: 'repeated' })).toMatchObject({ call: '1.1' });
  expect(ran).toEqual([['pay', '4111']]);
  await run.cancel();
});

test('a blocked request fails the run, and the model is not asked', async () => {
  hooks = { beforeModel: () => ({ block: 'outside of office hours' }) };
  const run = await rig.client.start('card', 'what?');
  await expect(run.result()).rejects.toThrow(
    'The hook beforeModel blocked the request: outside of office hours',
  );
  expect(models.card.requests).toEqual([]);
});

test('what a tool asks the model passes the hooks, too', async () => {
  hooks = { beforeModel: (...asked) => masking.beforeModel?.(...asked) };
  const run = await rig.client.start('thinker', 'what?');
  const { intermediateSteps } = await run.result();
  const [step] = intermediateSteps;
  expect(step?.changes).toMatchObject([
    { hook: 'beforeModel', part: 'messages[0]', before: expect.stringContaining('4111') },
  ]);
});

test('a text that afterModel may change is not shown while the model writes', async () => {
  const run = await rig.client.start('writer', 'write');
  const types = (await allOf(run.events())).map(({ type }) => type);
  expect(types).toContain('model_ended');
  expect(types).not.toContain('model_text');
});

test('a worker whose config has lost the hooks makes no call of a run that began with them', async () => {
  const { hooks: all } = config;
  const run = await rig.client.start('careful', 'what?');
  await waitOf(run, { reason: 'approval' });
  config.hooks = undefined;
  await rig.restart();
  await run.decide('1.1', { type: 'approve' });
  const { error } = await waitOf(run, { reason: 'failed' });
  expect(error?.type).toBe('HooksNotConfigured');
  expect(ran).toEqual([]);
  config.hooks = all;
  await rig.restart();
  await run.decide('1.1', { type: 'retry' });
  await run.result();
  expect(ran).toEqual([['careful', '4111']]);
});
