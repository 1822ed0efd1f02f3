import { expect, test } from 'vitest';
import { createLogger } from '../../worker/worker-log.ts';

const of = { workflowId: 'r', activityType: 'price', activityId: '1.1' };

test.each([
  ['a command that prints the trace', true],
  ['a worker that stays', false],
])('what a tool says is in the log of %s, and how the worker is getting on is not', (_, traced) => {
  const lines: string[] = [];
  const log = createLogger((line) => lines.push(line), traced);
  log.info('looked it up', { ...of, tool: 'price' });
  log.info('polling');
  log.warn('slow', of);
  expect(lines).toEqual(['info: price (1.1), run r: looked it up', 'warn: price (1.1), run r: slow']);
});

test('a failed attempt is in the log where no trace says so', () => {
  const lines: string[] = [];
  for (const traced of [true, false]) {
    createLogger((line) => lines.push(line), traced).warn('Activity failed', {
      ...of,
      error: new Error('no such price'),
    });
  }
  expect(lines).toEqual(['warn: price (1.1), run r: Activity failed: no such price']);
});
