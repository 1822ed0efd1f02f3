import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { createPrintedFailures, errorLine } from '../../../../cli/print/run-error.ts';

const LONG = 'The provider says so. '.repeat(10);
const failedRun = (message: string) =>
  ({ id: 'r', status: 'failed', error: { type: 'ToolBroke', message } }) as const;

function printed(type: 'tool_failed' | 'model_failed', call: string, message: string, within?: string) {
  const failures = createPrintedFailures();
  const error = { type: 'ToolBroke', message };
  const event: RunEvent = { at: 0, type, call, error, attempts: 1 };
  failures.add(within === undefined ? event : { ...event, within });
  return failures;
}

test.each([
  ['tool_failed', '1.1', 'call 1.1 failed, see above'],
  ['model_failed', '1', 'the model call of step 1 failed, see above'],
] as const)('refers to a long sentence that a %s has printed', (type, call, reference) => {
  expect(errorLine(failedRun(LONG), printed(type, call, LONG))).toBe(`error: ToolBroke: ${reference}`);
});

test.each([
  ['another error', LONG, printed('tool_failed', '1.1', `${LONG}!`)],
  ['an error of a sub-agent', LONG, printed('tool_failed', '2.1', LONG, '1.1')],
  ['a sentence that is shorter than its reference', 'no', printed('tool_failed', '1.1', 'no')],
])('prints the sentence itself after %s', (_what, message, failures) => {
  expect(errorLine(failedRun(message), failures)).toBe(`error: ToolBroke: ${message.trim()}`);
});
