import { expect, test } from 'vitest';
import { pauseAfter } from '../../../../gateway/start/start-run.ts';

test('a message that waits for its turn is looked for at once at first, and in an hour less than 2000 times', () => {
  expect([0, 500, 5000, 3_600_000].map(pauseAfter)).toEqual([100, 100, 500, 2000]);
  let looks = 0;
  for (let waited = 0; waited < 3_600_000; waited += pauseAfter(waited)) looks++;
  expect(looks).toBeLessThan(2000);
});
