import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { toldEvent, toldTo } from '../../../../gateway/start/withheld.ts';

const error = { type: 'Error', message: 'SECRET' };
const action = { tool: 'look', toolInput: 'x', log: '' };
const change = { hook: 'beforeModel', part: 'messages[0]', before: 'PROMPT', after: 'PROMPT' };
const at = { at: 1, call: '1.1' };

/** Each event that has an error, or a part of the prompt. */
const events = [
  { ...at, type: 'model_failed', error, attempts: 1 },
  { ...at, type: 'tool_failed', error, attempts: 1 },
  { ...at, type: 'attempt_failed', error, attempt: 1 },
  { ...at, type: 'reconciled', found: 'unknown', error },
  {
    ...at,
    type: 'waiting',
    wait: { call: '1.1', n: 0, tool: 'look', toolInput: 'x', reason: 'failure', error },
  },
  { ...at, type: 'run_ended', status: 'failed', error },
  { ...at, type: 'model_ended', turn: { text: 'hi', warnings: ['SECRET'], changes: [change] } },
  { ...at, type: 'step', step: { call: '1.1', action, observation: 'The tool look failed: SECRET' } },
  { ...at, type: 'step', step: { call: '1.1', action, observation: 'seen', changes: [change] } },
] as unknown as RunEvent[]; // with the fields that matter

test.each(events)('$type tells neither errors nor prompts to a caller without inspect', (event) => {
  const told = JSON.stringify(toldEvent(event, toldTo({ scopes: ['read', 'decide', 'run', 'chat'] })));
  expect(told).not.toMatch(/SECRET|PROMPT/u);
  expect(toldEvent(event, toldTo({ scopes: ['read', 'inspect'] }))).toEqual(event);
  expect(toldEvent(event, toldTo({ scopes: ['admin'] }))).toEqual(event);
});

test.each(events)(
  '$type tells errors, and no prompts, to staff that decides on the runs of others',
  (event) => {
    const told = JSON.stringify(toldEvent(event, toldTo({ scopes: ['read', 'decide'], may: ['all-runs'] })));
    expect(told).not.toContain('PROMPT');
    expect(told.includes('SECRET')).toBe(JSON.stringify(event).includes('SECRET'));
  },
);

test('an error that speaks to who asked keeps its message', () => {
  const event = { ...events[0], error: { type: 'HookBlocked', message: 'Ask something else.' } } as RunEvent;
  expect(toldEvent(event, toldTo({ scopes: ['read'] }))).toEqual(event);
});
