import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/events.ts';
import { cancelledTool, rejectedTool } from '../../agent/observations.ts';
import { asText } from '../../agent/vocabulary.ts';
import { AgentRunCancelled } from '../../client/errors.ts';
import { aFewAtATime } from '../../client/concurrent.ts';
import { type Boundary, type BoundaryRig, type Played, startBoundaryRig } from '../support/boundary-rig.ts';

/** Every boundary at which a worker can die: by SIGKILL, once, and another worker goes on. */

const ROWS_AT_ONCE = 8;

/** A row, and what is not as if nothing had happened. */
interface Row extends Boundary {
  /** By call, where a tool's own word is not what the model is told. */
  observed?: { [call: string]: unknown };
  /** The model call, or the tool call, that may have been made once more than it is known of. */
  askedTwice?: string;
  runTwice?: string;
  /** Calls that take no effect. */
  without?: string[];
  cancelled?: true;
}

const script = [
  ['work', 'a'],
  ['work', 'b'],
  ['work', 'c'],
] as const;
const secondly = (tool: string, input = 'b') => [script[0], [tool, input], script[2]] as const;

const rows: Row[] = [
  { when: 'at the very beginning', script, diesAt: 'run_started' },
  {
    when: 'before the model has answered',
    script,
    hangsAt: { step: '2' },
    before: ({ asked }) => asked('2'),
    askedTwice: '2',
  },
  {
    when: 'in the middle of the reply of the model',
    script,
    hangsAt: { step: '2', text: ' I think that I need' },
    before: ({ seen }) => seen('model_text'),
    askedTwice: '2',
  },
  {
    when: 'when the model has answered, and that is not recorded yet',
    script: secondly('guarded'),
    diesAt: 'asked 2.1',
    async after({ waiting, run }) {
      await waiting('2.1');
      await run.decide('2.1', { type: 'approve' });
    },
    askedTwice: '2',
  },
  { when: 'when the reply is recorded, and the tool is not scheduled yet', script, diesAt: 'model_ended 2' },
  { when: 'in a tool, before its effect', script, diesAt: 'in 2.1', runTwice: '2.1' },
  {
    when: 'when a tool has taken effect, and that is not recorded yet',
    script,
    diesAt: 'done 2.1',
    runTwice: '2.1',
  },
  {
    when: 'in the second of two calls of a turn',
    agent: 'twofold',
    script: [
      ['work', 'a'],
      ['work', 'b'],
    ],
    holdsAt: 'in 1.2',
    before: async ({ begun, seen }) => [await begun('1.2'), await seen('step', '1.1')],
    runTwice: '1.2',
  },
  {
    when: 'as the run is continued as new',
    script,
    diesAt: 'step 2.1',
  },
  {
    when: 'right after the run was continued as new',
    script,
    hangsAt: { step: '3' },
    before: ({ asked }) => asked('3'),
    askedTwice: '3',
  },
  { when: 'as the run ends', script, diesAt: 'run_ended' },
  {
    when: 'when a call that may take effect once only has done so',
    script: secondly('pay'),
    diesAt: 'done 2.1',
    async after({ waiting, run }) {
      expect(await waiting('2.1')).toMatchObject({ park: { reason: 'doubt' } });
      await run.decide('2.1', { type: 'resolve', output: 'paid b' });
    },
    observed: { '2.1': 'paid b' },
  },
  {
    when: 'in a call that may take effect once only, before it does',
    script: secondly('pay'),
    diesAt: 'in 2.1',
    async after({ waiting, run }) {
      expect(await waiting('2.1')).toMatchObject({ park: { reason: 'doubt' } });
      await run.decide('2.1', { type: 'retry' });
    },
    runTwice: '2.1',
    observed: { '2.1': 'paid b' },
  },
  {
    when: 'while a failed call waits',
    script: secondly('work', 'broken'),
    before: ({ waiting }) => waiting('2.1'),
    after: ({ run }) => run.decide('2.1', { type: 'retry', input: 'b' }),
    runTwice: '2.1',
    observed: { '2.1': 'did b' },
  },
  {
    when: 'while a call waits for approval',
    script: secondly('guarded'),
    before: ({ waiting }) => waiting('2.1'),
    after: ({ run }) => run.decide('2.1', { type: 'reject', reason: 'no' }),
    observed: { '2.1': rejectedTool('no') },
    without: ['2.1'],
  },
  {
    when: 'while a call waits for its result from outside',
    script: secondly('job'),
    before: ({ waiting }) => waiting('2.1'),
    async after({ begun, client }) {
      const { token = '' } = await begun('2.1');
      await client.resolve(token, 'done elsewhere');
    },
    observed: { '2.1': 'done elsewhere' },
    without: ['2.1'],
  },
  {
    when: "while a sub-agent's call waits",
    script: secondly('below', 'Row row-17/below.'),
    before: ({ waiting }) => waiting('2.1/1.1'),
    after: ({ run }) => run.decide('2.1/1.1', { type: 'approve' }),
    observed: { '2.1': 'done below' },
    without: ['2.1'],
  },
  {
    when: 'right after an approval was accepted',
    script: secondly('guarded'),
    async before({ waiting, run }) {
      await waiting('2.1');
      await run.decide('2.1', { type: 'approve' });
    },
    runTwice: '2.1',
  },
  {
    when: 'right after a retry was accepted',
    script: secondly('work', 'broken'),
    async before({ waiting, run }) {
      await waiting('2.1');
      await run.decide('2.1', { type: 'retry', input: 'b' });
    },
    runTwice: '2.1',
    observed: { '2.1': 'did b' },
  },
  {
    when: 'as it takes a decision',
    script: secondly('guarded'),
    async before({ waiting, run }) {
      await waiting('2.1');
      expect(await run.decide('2.1', { type: 'approve' })).toMatchObject({
        call: '2.1',
        decision: 'approve',
      });
    },
    diesAt: 'decided 2.1',
  },
  {
    when: 'before a decision is sent, which waits for the next one,',
    script: secondly('guarded'),
    before: ({ waiting }) => waiting('2.1'),
    async meanwhile({ run }) {
      expect(await run.decide('2.1', { type: 'approve' })).toMatchObject({
        call: '2.1',
        decision: 'approve',
      });
    },
  },
  {
    when: 'during the cancel of one call',
    script: secondly('work'),
    holdsAt: 'in 2.1',
    async before({ begun, run }) {
      await begun('2.1');
      await run.decide('2.1', { type: 'cancelCall' });
    },
    observed: { '2.1': cancelledTool(undefined) },
    without: ['2.1'],
  },
  {
    when: 'during the cancel of the run',
    script: secondly('work'),
    holdsAt: 'in 2.1',
    async before({ begun, run }) {
      await begun('2.1');
      await run.cancel();
    },
    without: ['2.1', '3.1'],
    cancelled: true,
  },
];

let rig: BoundaryRig;
const played = new Map<Row, Played | Error>();

beforeAll(async () => {
  rig = await startBoundaryRig();
  await aFewAtATime(rows, ROWS_AT_ONCE, async (row, index) => {
    const outcome = await rig.play(`row-${index + 1}`, row).catch((error: Error) => error);
    played.set(row, outcome);
  });
}, 240_000);
afterAll(() => rig.stop());

function outcomeOf(row: Row): Played {
  const outcome = played.get(row);
  if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('No row was played.');
  return outcome;
}

describe.each(rows)('a worker that dies $when', (row) => {
  const { agent, observed = {}, askedTwice, runTwice, without = [] } = row;
  const calls = row.script.map((_action, index) =>
    agent === 'twofold' ? `1.${index + 1}` : `${index + 1}.1`,
  );

  test('changes nothing in the answer and the steps', () => {
    const { result, asked } = outcomeOf(row);
    if (row.cancelled === true) {
      expect(result).toBeInstanceOf(AgentRunCancelled);
      return;
    }
    expect(result).toMatchObject({
      output: 'all done',
      intermediateSteps: row.script.map(([tool, toolInput], index) => {
        const call = calls[index] ?? '';
        return { call, action: { tool }, observation: observed[call] ?? `did ${toolInput}` };
      }),
    });
    if (result instanceof Error) return;
    const told = result.intermediateSteps.map(({ observation }) => asText(observation));
    expect(asked.at(-1)?.observations).toEqual(told);
  });

  test('has nothing done again that was done', () => {
    const { asked, noted } = outcomeOf(row);
    const steps = asked.map(({ step }) => step);
    const ran = noted.filter(({ what }) => what === 'run').map(({ call }) => call);
    const effects = noted.filter(({ what }) => what === 'effect');
    expect(withoutOneOf(steps, askedTwice)).toEqual([...new Set(steps)]);
    expect(withoutOneOf(ran, runTwice)).toEqual([...new Set(ran)]);
    expect(effects.map(({ call }) => call).toSorted()).toEqual(
      calls.filter((call) => !without.includes(call)),
    );
    expect(new Set(effects.map(({ key }) => key)).size).toBe(effects.length);
  });

  test('is nothing that a watcher sees an event twice for, or misses one', () => {
    const { watched, recorded } = outcomeOf(row);
    if (calls.includes('3.1') && row.cancelled !== true) expect(afterSecond(recorded)).toBe('continued');
    for (const seen of watched) {
      expect(seen.filter(({ type }) => !LIVE.includes(type))).toEqual(recorded);
      for (const texts of textsOf(seen)) expect(texts).toEqual([...new Set(texts)].toSorted(byLength));
    }
    expect(new Set(recorded.map((event) => JSON.stringify(event))).size).toBe(recorded.length);
  });
});

function afterSecond(events: readonly RunEvent[]): string | undefined {
  const second = events.findIndex((event) => event.type === 'step' && event.step.call === '2.1');
  return events[second + 1]?.type;
}

/** What only those see who are there as it happens. */
const LIVE: readonly RunEvent['type'][] = ['model_text', 'tool_progress', 'attempt_failed'];

/** What was shown of a model's reply as it was written, for each attempt. */
function textsOf(events: readonly RunEvent[]): string[][] {
  const texts = new Map<string, string[]>();
  for (const event of events) {
    if (event.type !== 'model_text') continue;
    const key = `${event.call} ${event.attempt}`;
    texts.set(key, [...(texts.get(key) ?? []), event.text]);
  }
  return [...texts.values()];
}

const byLength = (a: string, b: string) => a.length - b.length;

/** The list without the second of what may be in it twice. */
function withoutOneOf(list: readonly string[], twice: string | undefined): string[] {
  const second = twice === undefined ? -1 : list.indexOf(twice, list.indexOf(twice) + 1);
  return list.filter((_item, index) => index !== second);
}
