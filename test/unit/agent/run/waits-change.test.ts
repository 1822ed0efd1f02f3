import { array, assert, boolean, constantFrom, nat, property, record, tuple, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { boundedWaits, applyWaitsChange, waitsChange } from '../../../../agent/run/waits-change.ts';
import { utf8Length } from '../../../../agent/values/digest.ts';

const wait = (call: string, n = 0, more: Partial<WaitingCall> = {}): WaitingCall => ({
  call,
  n,
  tool: 'pay',
  toolInput: { amount: 1 },
  reason: 'approval',
  ...more,
});

const waits = uniqueArray(record({ call: constantFrom('1.1', '1.2', '1.3'), n: nat(2) }), {
  selector: ({ call, n }) => `${call} ${n}`,
});

test('the parent knows what waits in its sub-agent, whichever changes are told together', () => {
  assert(
    property(array(tuple(waits, boolean())), (changes) => {
      let told: WaitingCall[] = [];
      let heard: WaitingCall[] = [];
      const tell = (now: WaitingCall[]) => {
        const news = waitsChange('3.1', told, now);
        told = now;
        if (news !== undefined) heard = applyWaitsChange(heard, news);
      };
      let now: WaitingCall[] = [];
      for (const [next, isSent] of changes) {
        now = next.map(({ call, n }) => wait(call, n));
        if (isSent) tell(now);
      }
      tell(now);
      const names = (list: WaitingCall[]) => list.map(({ call, n }) => `${call} ${n}`).sort();
      expect(names(heard)).toEqual(names(now.map((one) => ({ ...one, call: `3.1/${one.call}` }))));
    }),
  );
});

test('nothing is told where nothing has changed', () => {
  expect(waitsChange('3.1', [wait('1.1')], [wait('1.1')])).toBeUndefined();
});

test('a message without `over` has all calls that wait', () => {
  expect(applyWaitsChange([wait('3.1/1.1')], { caller: '3.1', waits: [wait('1.2')] })).toEqual([
    wait('3.1/1.2'),
  ]);
});

test('inputs, notes and errors of many waits are cut to what one message may carry', () => {
  const long = 'x'.repeat(90_000);
  const many = Array.from({ length: 256 }, (_, index) =>
    wait(`1.${index}`, 0, { toolInput: { text: long }, note: long, error: { type: 'Error', message: long } }),
  );
  const bounded = boundedWaits(many);
  expect(bounded.map(({ call, reason }) => [call, reason])).toEqual(
    many.map(({ call, reason }) => [call, reason]),
  );
  expect(utf8Length(JSON.stringify(bounded))).toBeLessThan(4 * limits.waitsBytes);
  expect(boundedWaits([wait('1.1')])).toEqual([wait('1.1')]);
});
