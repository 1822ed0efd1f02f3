import { describe, expect, test } from 'vitest';
import {
  type AgentRun,
  DecisionRefused,
  type OperatorDecision,
  type RunEvent,
  type WaitingCall,
} from '../../../../client/index.ts';
import { decideAll } from '../../../../gateway/start/decide-all.ts';
import type { Decider } from '../../../../gateway/start/decide-as.ts';

/** A run that waits for approval of these calls. `before`: runs before a decision is made, as other people do who are faster. */
function waitingRun(calls: readonly string[], before: (call: string) => void = () => undefined) {
  const events: RunEvent[] = [];
  const waiting = new Map<string, WaitingCall>();
  const labels = { agent: 'a', owner: 'somebody' };
  for (const call of calls) {
    const wait: WaitingCall = { call, n: 0, tool: 'pay', toolInput: {}, reason: 'approval' };
    waiting.set(call, wait);
    events.push({ at: 0, type: 'waiting', wait });
  }
  const take = (call: string, decision: OperatorDecision) => {
    if (!waiting.delete(call)) throw new DecisionRefused(`${decision.type}: there is no open call ${call}.`);
    if (decision.type === 'approve' && decision.input === 'wrong') {
      waiting.set(call, { call, n: 0, tool: 'pay', toolInput: {}, reason: 'approval' });
      throw new DecisionRefused('approve: this input does not fit.');
    }
    events.push({ at: 0, type: 'decided', call, decision });
  };
  const run = {
    id: 'r',
    labels: async () => labels,
    describe: async () => ({ waiting: [...waiting.values()] }),
    async *events() {
      yield* events;
    },
    async decide(call: string, decision: OperatorDecision) {
      before(call);
      take(call, { ...decision, by: 'me' });
    },
  };
  const caller = { name: 'me', scopes: ['admin'] } as const;
  const by = { client: { get: () => run }, caller } as unknown as Decider; // the part of a client that is used
  const decide = (...sent: readonly (readonly [call: string, decision: OperatorDecision])[]) =>
    decideAll(
      by,
      run as unknown as AgentRun, // the part of a run that is used
      sent.map(([call, decision]) => ({ call, wait: 0, decision })),
    );
  const made = () =>
    events.flatMap((event) => (event.type === 'decided' ? [[event.call, event.decision.by]] : []));
  return { decide, made, take, waits: () => [...waiting.keys()] };
}

const approve: OperatorDecision = { type: 'approve' };
const reject: OperatorDecision = { type: 'reject', reason: 'too dear' };

describe('several decisions in one request', () => {
  test('are all checked before the first is made', async () => {
    const { decide, made, take } = waitingRun(['1.1', '1.2']);
    take('1.2', { ...approve, by: 'bob' });
    const late = 'pay (1.2) was decided before by bob: approve. reject has no effect now.';
    await expect(decide(['1.1', approve], ['1.2', reject])).rejects.toThrow(late);
    await expect(decide(['1.1', approve], ['7.1', reject])).rejects.toThrow('has had no wait 0');
    const wrong = 'skip does not fit pay (1.1). Possible: approve, reject, resolve, abort.';
    await expect(decide(['1.1', { type: 'skip' }], ['1.2', approve])).rejects.toThrow(wrong);
    expect(made()).toEqual([['1.2', 'bob']]);
  });

  test('are told apart where another person is faster at one of them, and can be sent again', async () => {
    const { decide, made, take, waits } = waitingRun(['1.1', '1.2', '1.3'], (call) => {
      if (call === '1.2' && waits().includes('1.2')) take('1.2', { ...reject, by: 'bob' });
    });
    const sent = [
      ['1.1', approve],
      ['1.2', approve],
      ['1.3', approve],
    ] as const;
    const partly =
      'Decided: 1.1. 1.2: pay (1.2) was decided before by bob: reject. approve has no effect now. Not decided: 1.3.';
    await expect(decide(...sent)).rejects.toMatchObject({ status: 409, message: partly });
    await decide(sent[0], ['1.2', reject], sent[2]);
    expect(made()).toEqual([
      ['1.1', 'me'],
      ['1.2', 'bob'],
      ['1.3', 'me'],
    ]);
  });

  test('are accepted where another person has just made the same', async () => {
    const { decide, made, take, waits } = waitingRun(['1.1', '1.2'], (call) => {
      if (call === '1.2' && waits().includes('1.2')) take('1.2', { ...approve, by: 'bob' });
    });
    await decide(['1.1', approve], ['1.2', approve]);
    expect(made()).toEqual([
      ['1.1', 'me'],
      ['1.2', 'bob'],
    ]);
  });

  test('have the words of the run for one that the run refuses, and those before stay made', async () => {
    const { decide, made, waits } = waitingRun(['1.1', '1.2']);
    const sent = decide(['1.1', approve], ['1.2', { type: 'approve', input: 'wrong' }]);
    await expect(sent).rejects.toThrow('Decided: 1.1. 1.2: approve: this input does not fit.');
    expect([made(), waits()]).toEqual([[['1.1', 'me']], ['1.2']]);
  });
});

describe('a decision on a wait that is over', () => {
  const result: OperatorDecision = { type: 'resolve', output: [1] };
  test.each<[string, OperatorDecision, OperatorDecision, string]>([
    ['the same', reject, { ...reject, by: 'me' }, 'accepted'],
    ['the same by its token', result, { ...result, token: 't' }, 'accepted'],
    ['one with another reason', reject, { type: 'reject', reason: 'no' }, 'by bob: reject with other data.'],
    ['one with another input', { type: 'approve', input: 'x' }, approve, 'by bob: approve with other data.'],
  ])('is accepted only where it is the same: %s', async (_, made, sent, outcome) => {
    const { decide, take } = waitingRun(['1.1']);
    take('1.1', { ...made, by: 'bob' });
    const said = decide(['1.1', sent]).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
    expect(await said).toContain(outcome);
  });
});
