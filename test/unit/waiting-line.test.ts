import { expect, test } from 'vitest';
import { waitingLine } from '../../cli/print/waiting-line.ts';

test("a worker's log says which call waits, why, and what to type", () => {
  const error = { type: 'Error', message: 'out of\norder' };
  const park = {
    call: '3.1',
    n: 0,
    tool: 'create_invoice',
    toolInput: 'x',
    reason: 'failed',
    error,
  } as const;
  expect(waitingLine('bill 1', park)).toBe(
    "run bill 1 waits for you: create_invoice (3.1) failed: out of order; reloop retry 'bill 1'",
  );
});
