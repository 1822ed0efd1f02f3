import { describe, expect, test } from 'vitest';
import { type CallState, type DecisionName, decisionNames } from '../../agent/rules/decisions.ts';
import { type Choice, type GateCall, chooseCall } from '../../agent/rules/gate.ts';
import { type WaitingReason, waitingReasons } from '../../agent/rules/wait-reasons.ts';

/** What fits each state: everything else is refused, and the refusal names these, after what may be said to the run. */
const fitting: [
  kind: 'tool' | 'model',
  waiting: WaitingReason | 'lost' | undefined,
  DecisionName[],
  said?: string,
][] = [
  ['tool', undefined, ['cancelCall']],
  ['tool', 'failed', ['retry', 'resolve', 'skip', 'abort']],
  ['tool', 'approval', ['approve', 'reject', 'resolve', 'abort']],
  ['tool', 'doubt', ['retry', 'resolve', 'skip', 'abort']],
  ['tool', 'lost', ['reconcile', 'resolve', 'skip', 'abort']],
  ['tool', 'deferred', ['retry', 'resolve', 'skip', 'abort']],
  ['tool', 'repeated', ['retry', 'resolve', 'skip', 'abort']],
  ['model', undefined, []],
  ['model', 'failed', ['retry', 'resolve', 'abort']],
  ['model', 'limit', ['resolve', 'stop', 'abort'], 'extend, '],
];

describe('each decision in each state', () => {
  const given: { [N in DecisionName]?: object } = { resolve: { output: 'x' } };
  const rows = fitting.flatMap(([kind, state, names, first = '']) =>
    decisionNames.map(
      (name) =>
        [name, kind, state ?? 'running', names.includes(name), `${first}${names.join(', ')}`] as const,
    ),
  );

  test.each(rows)('%s of a %s call that is %s (fits: %s)', (name, kind, state, fits, possible) => {
    const call: GateCall = { ...waiting('7', 0), state: stateOf(kind, state) };
    const choose = () => chooseCall([call], name, { call: '7', ...given[name] });
    const said = outcomeOf(choose);
    expect(said).toContain(fits ? name : `Possible: ${possible || 'nothing'}.`);
    expect(said.startsWith('refused')).toBe(!fits);
  });

  const ofWaits = rows.filter(([, , state, fits]) => fits && state !== 'running');
  test.each(ofWaits)(
    '%s of a %s call that is %s, meant for another wait, is refused',
    (name, kind, state) => {
      const call: GateCall = { ...waiting('7', 0), state: stateOf(kind, state) };
      const choose = () => chooseCall([call], name, { call: '7', ...given[name], wait: 7 });
      expect(outcomeOf(choose)).toBe(`refused: ${name}: 7 is at wait 0 by now, not 7. Look again.`);
    },
  );
});

test('an input that is too long to be remembered is refused, and the tool still can be', () => {
  const long: GateCall = {
    ...waiting('8', 0),
    state: { kind: 'tool', waiting: 'approval' },
    input: 'x'.repeat(2_000),
  };
  expect(() => chooseCall([long], 'approve', { remember: 'input' })).toThrow('2002 characters');
  expect(chooseCall([long], 'approve', { remember: 'tool' }).decision).toEqual({
    type: 'approve',
    remember: 'tool',
  });
});

function waiting(id: string, waitNumber: number): GateCall {
  return { id, waitNumber, state: { kind: 'tool', waiting: 'failed' }, inputSchema: null, waitingWithin: [] };
}

function stateOf(kind: 'tool' | 'model', state: string): CallState {
  if (state === 'lost') return { kind, waiting: 'doubt', until: 1 };
  return { kind, waiting: waitingReasons.find((reason) => reason === state) };
}

function outcomeOf(choose: () => Choice<GateCall>): string {
  try {
    return choose().decision.type;
  } catch (error) {
    return `refused: ${(error as Error).message}`; // thrown by the gate
  }
}
