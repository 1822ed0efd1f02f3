import { expect, test } from 'vitest';
import { ledgerId, ledgerPrefix } from '../../../../agent/budgets/budget-rule.ts';
import { limiterId } from '../../../../agent/model-limits/lease-request.ts';

test('ids of the workflows of two task queues never meet, whatever their names', () => {
  expect(ledgerId('a', 'b', 'c')).toBe('reloop-budgets/a/b/c');
  expect(ledgerId('a/b', 'c', '').startsWith(ledgerPrefix('a'))).toBe(false);
  expect(limiterId('a/b', 'c')).not.toBe(limiterId('a', 'b/c'));
  expect(limiterId('a/b', 'c')).not.toBe(limiterId('a%2Fb', 'c'));
});
