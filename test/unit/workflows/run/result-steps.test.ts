import { expect, test } from 'vitest';
import type { RunStep, TimelessEvent } from '../../../../agent/run/events.ts';
import { ResultSteps } from '../../../../workflows/run/result-steps.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';

const step = (call: string, observation = 'seen'): RunStep => ({
  call,
  action: { tool: 'look', toolInput: '', log: '' },
  observation,
  attempts: 1,
  durationMs: 1,
});
const ended = (call: string, observation?: string): TimelessEvent => ({
  type: 'step',
  step: step(call, observation),
});

function stepsOf(...events: TimelessEvent[]) {
  const steps = new ResultSteps();
  for (const event of events) steps.add(event);
  return steps.all;
}

test('the steps are in the order of their calls', () => {
  expect(stepsOf(ended('1.1'), ended('2.2'), ended('2.1'))).toEqual(
    ['1.1', '2.1', '2.2'].map((call) => step(call)),
  );
  expect(stepsOf()).toEqual([]);
});

test('steps of more than 32 KB are left out', () => {
  const half = 'ä'.repeat(limits.resultStepsBytes / 4);
  expect(stepsOf(ended('1.1', half))).toHaveLength(1);
  expect(stepsOf(ended('1.1', half), ended('2.1', half), ended('3.1'))).toBeUndefined();
});

test.each<TimelessEvent>([
  { type: 'tool_failed', call: '1.1', error: { type: 'Error', message: 'no' }, attempts: 0 },
  { type: 'decided', call: '1.1', decision: { type: 'skip' } },
  { type: 'steered', message: { type: 'rewind', step: 1 } },
])('the steps of a run with the event $type are left out', (event) => {
  expect(stepsOf(ended('1.1'), event, ended('2.1'))).toBeUndefined();
});

test.each([
  ['final_answer', [step('1.1')]],
  ['max_iterations', [step('1.1')]],
  ['max_execution_time', undefined],
] as const)(
  'a run that ends by %s: only history has the attempts of a call cut off by the time limit',
  (stopReason, steps) => {
    const status = 'completed';
    const end = { status, stopReason, output: '', iterations: 1, usage: null, error: null } as const;
    expect(stepsOf(ended('1.1'), { type: 'run_ended', ...end })).toEqual(steps);
  },
);

test('the steps of an agent with a tool of another worker, or with handoffs, are left out', () => {
  const look = sampleTool('look', 'Looks.');
  const all = (more: object) => {
    const steps = new ResultSteps();
    steps.resolved(sampleManifest({ tools: [look, { ...look, ...more }] }));
    return steps.all;
  };
  expect(all({})).toEqual([]);
  expect(all({ external: true })).toBeUndefined();
  expect(all({ handoff: 'second' })).toBeUndefined();
});
