import { describe, expect, test } from 'vitest';
import { limitError } from '../../../../../agent/limits/run-limits.ts';
import type { WaitingReason } from '../../../../../agent/rules/wait-reasons.ts';
import type { OperatorDecision, RunEvent } from '../../../../../agent/run/events.ts';
import { axisOf, WIDTH } from '../../../../../features/render/page/axis.ts';
import { runPage } from '../../../../../features/render/page/run-page.ts';
import { exportJson } from '../../../../../cli/print/export-json.ts';
import { askedWith, exportOf } from '../../../../support/exported.ts';
import { textOf } from '../../../../support/page-text.ts';
import {
  answers,
  atSeconds,
  decides,
  observes,
  restarted,
  started,
  waits,
} from '../../../../support/run-events.ts';

/** What people did to a run, on the page it is exported to. */

const pageOf = (events: RunEvent[]) => textOf(runPage(exportOf(events)));
const wait = { call: '1.1', n: 0, tool: 'Search', toolInput: 'x' };
const asks = (reason: WaitingReason, more: object = {}) =>
  ({ type: 'waiting', wait: { ...wait, reason, ...more } }) as const;
const search = decides('1', 'Search', 'x');
const found = observes('1.1', 'Search', 'x', 'found');
const steered = (message: Extract<RunEvent, { type: 'steered' }>['message']) =>
  ({ type: 'steered', message }) as const;
const LIMIT = 'the run before step 2 has come to a limit The limit of 1 iteration is reached.';
const DOUBT = 'Search (1.1) may or may not have taken effect The worker died.';
const died = { type: 'InDoubt', message: 'The worker died.' };

test('a message to a run stands between the steps it was said between', () => {
  const text = pageOf(
    atSeconds(
      started,
      ...search,
      steered({ type: 'say', text: 'Be brief.' }),
      steered({ type: 'pause' }),
      found,
      steered({ type: 'resume' }),
      steered({ type: 'extend', iterations: 5, cost: 0.5 }),
      ...answers('2', 'Rain.'),
      { type: 'unheard', messages: ['Too late.'] },
    ),
  );
  const order = [
    'Observation found',
    'Message Be brief.',
    'Paused: nothing starts until it is resumed',
    'Resumed',
    'Extended by 5 iterations, $0.5',
    'Answer Rain. Reply',
    'The run ended before the model could see 1 message Too late.',
  ];
  const places = order.map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test('a run that is paused says so', () => {
  expect(pageOf(atSeconds(started, ...search, steered({ type: 'pause' })))).toContain('assistant paused');
});

test.each<[RunEvent['type'] | WaitingReason, ReturnType<typeof asks>, string]>([
  ['approval', asks('approval'), 'Search (1.1) needs approval'],
  ['doubt', asks('doubt', { error: died }), DOUBT],
  ['deferred', asks('deferred', { note: 'Which one?' }), 'Search (1.1) waits for its result Which one?'],
  ['limit', asks('limit', { call: '2', error: limitError('1 iterations') }), LIMIT],
])('a wait says what for: %s', (_reason, wait, words) => {
  const text = pageOf(atSeconds(started, ...search, ...(wait.wait.reason === 'limit' ? [found] : []), wait));
  expect(text).toContain(`waiting for a person: ${words}`);
});

test.each<[OperatorDecision, string]>([
  [{ type: 'approve' }, 'approved'],
  [{ type: 'reject', reason: 'no' }, 'rejected'],
  [{ type: 'resolve', output: 'found' }, 'resolved'],
  [{ type: 'retry' }, 'done'],
])('a call that was decided on says how: %j', (decision, word) => {
  const decided = { type: 'decided', call: '1.1', decision } as const;
  const events = atSeconds(started, ...search, asks('approval'), decided, found, ...answers('2', 'Rain.'));
  expect(pageOf(events)).toContain(`1.1 Search ${word}`);
});

test('a wait at a limit ends when the limit is raised, and one that nobody ended says so', () => {
  const wait = asks('limit', { call: '2', tool: 'callModel', error: limitError('1 iterations') });
  const raised = steered({ type: 'extend', iterations: 1 });
  const over = pageOf(atSeconds(started, ...search, found, wait, raised, ...answers('2', 'Rain.')));
  expect(over).toContain('2 answer Rain.');
  expect(over).toMatch(/Waiting for a person 1\.0 s/u);
  const left = pageOf(atSeconds(started, ...search, found, wait, { type: 'unanswered', call: '2' }));
  expect(left).toContain('2 limit no decision');
});

test('a call without a decision in time says so', () => {
  const unanswered = { type: 'unanswered', call: '1.1' } as const;
  const text = pageOf(atSeconds(started, ...search, ...waits('1.1', 'Search', 'x'), unanswered, found));
  expect(text).toContain('1.1 Search no decision');
  expect(text).toContain('no decision in time');
});

test('a run that begins again says how, with what was changed of what it kept', () => {
  const again = restarted('fork', 2, { edits: [{ call: '1.1', observation: 'nothing' }] });
  const text = pageOf(atSeconds(started, ...search, found, again, ...answers('2', 'None.')));
  expect(text).toContain('changed the observation, which was found');
  expect(text).toContain('Observation nothing');
  const [forked, observed] = ['Forked from run run-1 at step 2', 'Observation nothing'];
  expect(text.indexOf(forked)).toBeGreaterThan(text.indexOf(observed));
});

test('a call that is made again after a retry has ended with the run before, and has one place', () => {
  const again = { type: 'tool_started', call: '1.1', tool: 'Search', toolInput: 'x' } as const;
  const retried = [...waits('1.1', 'Search', 'x'), restarted('retry', 1, { again: ['1.1'] })];
  const events = atSeconds(started, ...search, ...retried, again, found, ...answers('2', 'Rain.'));
  const text = pageOf(events);
  expect(text).toContain('Retried from call 1.1');
  expect(text.split('Observation found')).toHaveLength(2);
  expect(text).toMatch(/Waiting for a person 1\.0 s/u);
});

const HOUR = 3_600_000;
const span = (from: number, to: number) => ({ from, to });

describe('the axis of a timeline', () => {
  test('is to scale where nothing is long and empty', () => {
    const axis = axisOf([span(0, 40), span(45, 100)], span(0, 100));
    expect([0, 20, 45, 100].map((at) => axis.place(at) / WIDTH)).toEqual([0, 0.2, 0.45, 1]);
    expect(axis.gaps).toEqual([]);
  });

  test('draws hours in which nothing ran shorter than the seconds in which something did', () => {
    const axis = axisOf([span(0, 1000), span(HOUR, HOUR + 1000)], span(0, HOUR + 1000));
    expect(axis.gaps).toEqual([{ from: 1000, to: HOUR, isGap: true, width: 160 }]);
    const [end, again] = [axis.place(1000), axis.place(HOUR)];
    expect(end / WIDTH).toBeCloseTo(1000 / 2160);
    expect(again / WIDTH).toBeCloseTo(1160 / 2160);
    expect(axis.place(HOUR / 2)).toBeGreaterThan(end);
    expect(axis.place(HOUR / 2)).toBeLessThan(again);
  });

  test('leaves two thirds to what ran, however many such hours there are', () => {
    const ran = Array.from({ length: 50 }, (_, hour) => span(hour * HOUR, hour * HOUR + 1000));
    const axis = axisOf(ran, span(0, 49 * HOUR + 1000));
    const shown = ran.reduce((total, { from, to }) => total + axis.place(to) - axis.place(from), 0);
    expect(shown / WIDTH).toBeCloseTo(2 / 3);
  });

  test('takes what ran side by side, and out of order, as one', () => {
    const axis = axisOf([span(50, 100), span(0, 60)], span(0, 100));
    expect(axis.place(55) / WIDTH).toBeCloseTo(0.55);
  });

  test('has a place for every time where nothing ran at all, or no time passed', () => {
    expect(axisOf([], span(0, 100)).place(50)).toBe(WIDTH / 2);
    expect(axisOf([], span(5, 5)).place(5)).toBe(0);
  });
});

const own = exportOf(atSeconds(started, ...answers('1', 'a\nb')));

test('an exported run is JSON with its sub-agents and requests, and reads as it was', () => {
  const exported = exportOf(atSeconds(started, ...answers('1', 'ok')), {
    subAgents: [
      { call: '1.1', n: 0, id: 'run-1/1.1', export: { ...own, requests: [askedWith('1', 'why?')] } },
      { call: '1.1', n: 1, id: 'run-1/1.1~1', export: null },
    ],
    requests: [askedWith('1', 'what?')],
  });
  const text = [...exportJson(exported)].join('');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(exported)));
});

test('each event of an exported run stands on a line of its own', () => {
  const lines = [...exportJson(own)].join('').split('\n');
  for (const event of own.events) {
    expect(lines.filter((line) => line.replace(/,$/u, '') === JSON.stringify(event))).toHaveLength(1);
  }
  expect(lines.at(-1)).toBe('');
});
