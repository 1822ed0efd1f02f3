import { describe, expect, test } from 'vitest';
import type { ModelTurn } from '../../../agent/calls/calls.ts';
import type { RunEvent, RunStep } from '../../../agent/run/events.ts';
import type { WaitingCall } from '../../../agent/rules/waiting.ts';
import type { RunReport } from '../../../client/report.ts';
import { reportFrom } from '../../support/report.ts';

/** Reports of runs under way, and of such as no recorded history has. Those of recorded runs: golden.test.ts. */

type Happened = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;

const started: Happened = {
  type: 'run_started',
  id: 'fib',
  runId: 'run-1',
  agent: 'fibonacci',
  input: 'fib(10)?',
};

const oops = { type: 'Error', message: 'oops' };

test('a run that nothing is known of has every field of the contract, empty', () => {
  const usage = { completionTokens: 0, modelCalls: 0, promptTokens: 0, totalTokens: 0 };
  const unknown = { agent: '', input: '', output: null, error: null, stopReason: null, iterations: 0 };
  const empty = { intermediateSteps: [], waiting: [], history: { bytes: 0, events: 0 }, usage };
  const known = { id: 'fib', runId: 'run-1', status: 'running' };
  expect(reportFrom('fib', 'run-1')).toStrictEqual({ ...known, ...unknown, ...empty });
});

describe('while a run goes on', () => {
  test('iterations and usage are those of the replies so far', () => {
    const soFar = { status: 'running', stopReason: null, output: null, iterations: 2 };
    expect(reportOf([started, replied('1', 10, 5), replied('2', 20, 1)])).toMatchObject({
      ...soFar,
      usage: { promptTokens: 30, completionTokens: 6, totalTokens: 36, modelCalls: 2 },
    });
  });

  test.each<[what: string, ended: string, order: string]>([
    ['of one turn, by their calls', '1.3 1.1 1.2', '1.1 1.2 1.3'],
    ['by number, not by letter', '2.1 10.1 10.10 10.9 9.1', '2.1 9.1 10.1 10.9 10.10'],
    ['agent by agent', '1/1.1 2.1 1/10.1 2/1.1 1.1 1/9.1', '1.1 2.1 1/1.1 1/9.1 1/10.1 2/1.1'],
  ])('steps are in the order of the calls, in whatever order they ended: %s', (_what, ended, order) => {
    const steps = ended.split(' ').map((call): Happened => ({ type: 'step', step: step(call) }));
    const { intermediateSteps } = reportOf([started, ...steps]);
    expect(intermediateSteps.map(({ call }) => call).join(' ')).toBe(order);
  });
});

describe('a run that waits for a person', () => {
  test('says for which calls and why, until each is decided', () => {
    const events = [started, waiting('1.1'), waiting('1.2')];
    const both = [waitingCall('1.1'), waitingCall('1.2')];
    expect(reportOf(events)).toMatchObject({ status: 'waiting', waiting: both });
    events.push(decided('1.2'));
    expect(reportOf(events)).toMatchObject({ status: 'waiting', waiting: [waitingCall('1.1')] });
    expect(reportOf([...events, decided('1.1')])).toMatchObject({ status: 'running', waiting: [] });
  });

  test('waits again when the call fails again', () => {
    const again: Happened = { type: 'waiting', wait: { ...waitingCall('1.1'), n: 1 } };
    const report = reportOf([started, waiting('1.1'), decided('1.1'), again]);
    expect(report).toMatchObject({ status: 'waiting', waiting: [{ call: '1.1', n: 1 }] });
  });

  test('is not said to run on when a call beside it is cancelled', () => {
    const cancelled: Happened = { type: 'decided', call: '1.2', decision: { type: 'cancelCall' } };
    const report = reportOf([started, waiting('1.1'), cancelled]);
    expect(report).toMatchObject({ status: 'waiting', waiting: [waitingCall('1.1')] });
  });
});

describe('a run that ended otherwise', () => {
  const soFar = [started, replied('1', 10, 5), { type: 'step', step: step('1.1') } as const, waiting('2.1')];
  test.each<[status: 'failed' | 'cancelled', stopReason: 'error' | 'cancelled', error: typeof oops | null]>([
    ['failed', 'error', oops],
    ['cancelled', 'cancelled', null],
  ])('%s keeps its steps and counts, and waits no more', (status, stopReason, error) => {
    const end = { output: null, status, stopReason, error } as const;
    const report = reportOf([...soFar, { type: 'run_ended', ...end, iterations: null, usage: null }]);
    const usage = { totalTokens: 15, modelCalls: 1 };
    const kept = { iterations: 1, intermediateSteps: [step('1.1')], usage, waiting: [] };
    expect(report).toMatchObject({ ...kept, ...end });
  });
});

function reportOf(events: Happened[]): RunReport {
  const timed = events.map((event) => ({ ...event, at: 0 }));
  return reportFrom('fib', 'run-0', timed);
}

function replied(call: string, promptTokens: number, completionTokens: number): Happened {
  const totalTokens = promptTokens + completionTokens;
  const usage = { promptTokens, completionTokens, totalTokens, modelCalls: 1 };
  const decision = { type: 'act' as const, actions: [] };
  const turn: ModelTurn = { digest: '', text: '', decision, finishReason: 'stop', usage, request: '' };
  return { type: 'model_ended', call, turn, attempts: 1, durationMs: 1 };
}

function step(call: string): RunStep {
  const action = { tool: 'python', toolInput: 'print(55)', log: 'Action: python' };
  return { call, action, observation: '55\n', attempts: 1, durationMs: 20 };
}

function waitingCall(call: string): WaitingCall {
  return { call, n: 0, tool: 'python', toolInput: 'print(55)', reason: 'failed', error: oops };
}

function waiting(call: string): Happened {
  return { type: 'waiting', wait: waitingCall(call) };
}

function decided(call: string): Happened {
  return { type: 'decided', call, decision: { type: 'retry' } };
}
