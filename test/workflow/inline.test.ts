import { setTimeout as sleep } from 'node:timers/promises';
import { defaultPayloadConverter } from '@temporalio/common';
import { beforeAll, expect, test } from 'vitest';
import { asText } from '../../agent/values/vocabulary.ts';
import { defineAgent } from '../../config/define.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { type ToolContext, ToolError, defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf, script, toolCall } from '../support/scripts.ts';

/** Attempts, by tool: what each had for a key. */
const keys: { [tool: string]: string[] } = {};
/** The same of the first run. */
const tries: typeof keys = {};

function quick(name: string, run: (input: string, context: ToolContext, attempt: number) => unknown) {
  return defineTool({
    name,
    description: 'takes milliseconds',
    effects: 'none',
    inline: true,
    onFailure: 'observe',
    retry: { initialInterval: 10 },
    run(input, context) {
      const own = (keys[name] ??= []);
      own.push(context.idempotencyKey);
      return run(input, context, own.length);
    },
  });
}

const tools = [
  quick('small', (input) => `small ${input}`),
  quick('large', (input) => `large ${input} ${'x'.repeat(5_000)}`),
  quick('huge', () => 'x'.repeat(40_000)),
  quick('told', () => {
    throw new ToolError('not today');
  }),
  quick('fails', () => {
    throw new Error('never');
  }),
  quick('fails_once', (_input, _context, attempt) => {
    if (attempt === 1) throw new Error('once');
    return 'at last';
  }),
  quick('final', () => {
    throw Object.assign(new Error('no use'), { retryable: false });
  }),
  quick('stores', async (_input, { checkpoint, lastCheckpoint }) => {
    await checkpoint('here').catch(() => undefined);
    return `stored, ${JSON.stringify(lastCheckpoint)}`;
  }),
  quick('lasts', async (_input, { signal }, attempt) => {
    if (attempt === 1) await sleep(60_000, undefined, { signal });
    return 'long';
  }),
  { ...quick('alone', () => Promise.reject(new Error('never'))), retry: { maxAttempts: 1 } },
];

let asked = 0;
let [together, largestTogether] = [0, 0];
const thirty = quick('thirty', async () => {
  largestTogether = Math.max(largestTogether, ++together);
  await sleep(50);
  together--;
  return 'x'.repeat(30_000);
});
const ten = modelOf((step) =>
  step === '1'
    ? {
        toolCalls: Array.from({ length: 10 }, (_, index) =>
          toolCall('thirty', String(index), `call-${index}`),
        ),
      }
    : 'ten',
);

const model = script(
  act('small', 'a'),
  act('large', 'b'),
  ...['huge', 'told', 'fails', 'fails_once', 'final', 'stores', 'lasts', 'alone'].map((tool) =>
    act(tool, tool),
  ),
  answer('done'),
);
const agents = [
  defineAgent({ name: 'quick', tools, model, maxIterations: null }),
  defineAgent({
    name: 'asking',
    tools: [{ ...quick('asked', () => 'said'), approval: 'always' as const }],
    model: script(act('asked', 'a'), answer('asked')),
  }),
  defineAgent({ name: 'many', kind: 'tool-calling', tools: [thirty], model: ten }),
  defineAgent({
    name: 'again',
    tools,
    model: modelOf((step) => {
      if (++asked === 1)
        throw new ModelError('ModelServerError', 'busy', { retryable: true, retryAfterMs: 1 });
      return step === '1' ? act('large', 'c') : answer('again');
    }),
  }),
  defineAgent({ name: 'two', tools, model: script(act('small', 'a'), act('large', 'b'), answer('two')) }),
];

let id: string;
let two: string;
const rig = useRig({ agents }, { transcriptCacheBytes: 1 });
beforeAll(async () => {
  const run = await rig.client.start('quick', 'what?');
  ({ id } = run);
  await run.result();
  Object.assign(tries, structuredClone(keys));
  const other = await rig.client.start('two', 'what?');
  two = other.id;
  await other.result();
});

async function historyOf(run: string) {
  return rig.temporal.workflow.getHandle(run).fetchHistory();
}

async function activitiesOf(run: string): Promise<string[]> {
  const { events } = await historyOf(run);
  return (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name ?? [],
  );
}

test('an inline tool is run by the activity of the model call, and has one of its own only where that was not its end', async () => {
  const activities = (await activitiesOf(id)).filter((name) => name !== 'callModel');
  expect(activities).toEqual(['huge', 'fails', 'fails_once', 'stores', 'lasts']);
});

test('a step of it is one activity and one workflow task: six events, one action', async () => {
  const { events = [] } = await historyOf(two);
  // What a run begins with, two steps and the answer, its end.
  expect(events).toHaveLength(5 + 3 * 6 + 1);
  const { usage } = await rig.client.get(two).describe();
  expect(usage?.actions).toBe(1 + 1 + 3);
});

test('it is tried as often as it may be, with the same key', () => {
  const counts = Object.entries(tries).map(([name, own]) => [name, [own.length, new Set(own).size]]);
  expect(Object.fromEntries(counts)).toEqual({
    small: [1, 1],
    large: [1, 1],
    huge: [2, 1],
    told: [1, 1],
    fails: [3, 1],
    fails_once: [2, 1],
    final: [1, 1],
    stores: [2, 1],
    lasts: [2, 1],
    alone: [1, 1],
  });
});

test('its steps are those of any tool', async () => {
  const { intermediateSteps } = await rig.client.get(id).result();
  expect(intermediateSteps.map(({ call, observation }) => [call, asText(observation).slice(0, 50)])).toEqual([
    ['1.1', 'small a'],
    ['2.1', `large b ${'x'.repeat(42)}`],
    ['3.1', 'x'.repeat(50)],
    ['4.1', 'not today'],
    ['5.1', 'The tool fails failed: never'],
    ['6.1', 'at last'],
    ['7.1', 'The tool final failed: no use'],
    ['8.1', 'stored, undefined'],
    ['9.1', 'long'],
    ['10.1', 'The tool alone failed: never'],
  ]);
  expect(promptOf(model.requests.at(-1)?.request)).toContain(`Observation: large b ${'x'.repeat(5_000)}\n`);
});

test("the Web UI's timeline shows it and its input with the model call that comes after it", async () => {
  const { events } = await historyOf(id);
  const summaries = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: scheduled, userMetadata }) =>
      scheduled?.activityType?.name === 'callModel' && userMetadata?.summary
        ? [defaultPayloadConverter.fromPayload(userMetadata.summary)]
        : [],
  );
  expect(summaries.slice(0, 3)).toEqual(['step 1', 'step 2 after small a', 'step 3 after large b']);
});

test('a call that a person has to allow is an activity, made after they have', async () => {
  const run = await rig.client.start('asking', 'what?');
  const { output } = await run.result({
    onWaiting: ({ call, n }) => run.decide(call, { type: 'approve' }, n),
  });
  expect(output).toBe('asked');
  expect(await activitiesOf(run.id)).toEqual(['callModel', 'asked', 'callModel']);
  expect(keys['asked']).toHaveLength(1);
});

test('calls of one turn are made side by side; those that return too much together are activities', async () => {
  const run = await rig.client.start('many', 'what?');
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps.map(({ observation }) => asText(observation).length)).toEqual(
    Array.from({ length: 10 }, () => 30_000),
  );
  // Eight times 30 KB are recorded with the reply.
  expect(await activitiesOf(run.id)).toEqual(['callModel', 'thirty', 'thirty', 'callModel']);
  expect(largestTogether).toBe(10);
});

test('a reference to a large inline result names the attempt of the model call, because each attempt has its own result', async () => {
  const run = await rig.client.start('again', 'what?');
  await run.result();
  const { events } = await historyOf(run.id);
  const inputs = (events ?? []).map(({ activityTaskScheduledEventAttributes: scheduled }) =>
    Buffer.from(scheduled?.input?.payloads?.[0]?.data ?? []).toString(),
  );
  const refs = inputs.filter((input) =>
    /"ref":\{"activityId":"1\.1","attemptScheduledAt":\d{13}\}/u.test(input),
  );
  expect(refs).toHaveLength(1);
});
