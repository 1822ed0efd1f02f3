import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limits } from '../../agent/values/limits.ts';
import { type ToolContext, ToolError, defineTool } from '../../adapters/tools/tool.ts';
import { useRig, stepsOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** What tools in JavaScript do. Each of these once ended a worker, or ran its tool 28 times, or ended a whole run. */
interface Nasty {
  does(context: ToolContext): unknown;
  /** What the model is told of it. */
  observation: unknown;
}

const failed = (text: string): unknown => expect.stringContaining(` failed: ${text}`);
const throwing = (error: () => unknown) => () => {
  throw error();
};
const strange = (fields: object) => Object.assign(new Error('x'), fields);
const half = 'Köln 😀'.slice(0, 6);
/** To places of a context where JavaScript lets anything in. */
const anything = (value: unknown) => value as string;

const nasty: { [name: string]: Nasty } = {
  half_message: {
    does: throwing(() => new Error(`no city "${half}"`)),
    observation: failed('no city "Köln \ufffd"'),
  },
  half_result: { does: () => ({ [half]: half }), observation: { 'Köln \ufffd': 'Köln \ufffd' } },
  circular_cause: {
    does: throwing(() => {
      const error = new Error('round');
      error.cause = error;
      return error;
    }),
    observation: failed('round'),
  },
  deep_cause: {
    does: throwing(() => {
      let error = new Error('bottom');
      for (let level = 0; level < 20_000; level++) error = new Error('above', { cause: error });
      return error;
    }),
    observation: failed('above'),
  },
  huge_message: {
    does: throwing(() => new Error('x'.repeat(3_000_000))),
    observation: failed(`${'x'.repeat(4000)}… (2996000 more`),
  },
  huge_told: {
    does: throwing(() => new ToolError('x'.repeat(3_000_000))),
    observation: expect.stringContaining('[cut: the first 1000 of 3000000 characters]'),
  },
  no_delay: { does: throwing(() => strange({ retryAfterMs: Number.NaN })), observation: failed('x') },
  long_delay: {
    does: throwing(() => strange({ retryAfterMs: 86_400_000 })),
    observation: failed('x (The server asked to wait 24 hours'),
  },
  nothing_thrown: { does: throwing(() => undefined), observation: failed('undefined') },
  object_message: {
    does: throwing(() => strange({ message: { code: 1 } })),
    observation: failed('{"code":1}'),
  },
  big_integer: { does: () => 12n, observation: '12' },
  a_function: { does: () => () => 1, observation: null },
  a_symbol: { does: () => ({ [Symbol('s')]: 1, s: Symbol('s') }), observation: {} },
  deep_result: {
    does: () => JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown,
    observation: failed('The value is nested more than'),
  },
  circular_result: {
    does() {
      const value: { self?: unknown } = {};
      value.self = value;
      return value;
    },
    observation: failed('The value cannot be written as JSON'),
  },
  odd_progress: {
    async does({ progress, log }) {
      for (const value of [20, undefined, Symbol('s'), Object.create(null), half, 'x'.repeat(5_000_000)]) {
        progress(anything(value));
        log.info(anything(value));
      }
      await sleep(1500); // as long as it takes to send one
      return 'went on';
    },
    observation: 'went on',
  },
  huge_checkpoint: {
    does: ({ checkpoint }) => checkpoint('x'.repeat(5_000_000)),
    observation: failed(
      `The checkpoint of huge_checkpoint has 5000002 bytes as JSON; at most ${limits.checkpointBytes}`,
    ),
  },
  circular_checkpoint: {
    does({ checkpoint }) {
      const value: { self?: unknown } = {};
      value.self = value;
      return checkpoint(anything(value));
    },
    observation: failed('The checkpoint of circular_checkpoint was not stored'),
  },
};

const runs: { [tool: string]: number } = {};
const tools = Object.entries(nasty).map(([name, { does }]) =>
  defineTool({
    name,
    description: 'does something nasty',
    retry: { maxAttempts: 2, initialInterval: 20 },
    maxOutputChars: 1000,
    onFailure: 'observe',
    run(_input, context) {
      runs[name] = (runs[name] ?? 0) + 1;
      return does(context);
    },
  }),
);
const over = new AbortController();
const patient = defineTool({
  name: 'patient',
  description: 'works while the others do what they do',
  async run() {
    while (!over.signal.aborted) await sleep(50);
    return 'still here';
  },
});

const rig = useRig({
  agents: [
    ...tools.map((tool) => ({
      name: tool.name,
      model: script(act(tool.name, 'x'), answer('done')),
      tools: [tool],
    })),
    { name: 'patient', model: script(act('patient', 'x'), answer('done')), tools: [patient] },
  ],
});

test('whatever a tool throws, returns or reports, its run goes on with a sentence, and the worker with its other runs', async () => {
  const other = await rig.client.start('patient', 'what?');
  const steps = await Promise.all(
    tools.map(async ({ name }) => [name, (await stepsOf(rig, name)).steps[0]?.[2]] as const),
  );
  over.abort();
  expect(Object.fromEntries(steps)).toEqual(
    Object.fromEntries(Object.entries(nasty).map(([name, { observation }]) => [name, observation])),
  );
  expect(await other.result()).toMatchObject({
    output: 'done',
    intermediateSteps: [{ observation: 'still here' }],
  });
  const moreThanAllowed = Object.entries(runs).filter(([, count]) => count > 2);
  expect(moreThanAllowed).toEqual([]);
}, 120_000);
