import { expect, test } from 'vitest';
import { trace } from '../../../support/printed-trace.ts';
import { atSeconds, modelEnded, observes, started, type Timeless } from '../../../support/run-events.ts';

const bake = { tool: 'bake', toolInput: 'lemon' };
const one = { type: 'act' as const, actions: [bake] };

test('names a background call, which ends after a later turn', () => {
  const events = atSeconds(
    started,
    modelEnded('1', '', one),
    modelEnded('2', '', { type: 'finish', output: 'y' }),
    observes('1.1', 'bake', 'lemon', 'ready'),
  );
  expect(trace(events)).toContain('    Observation (1.1): ready');
});

test.each<[what: string, call: string, turns: Timeless[]]>([
  ['a background call', '1.1', [modelEnded('1', '', one), modelStarted('2')]],
  ['a background call of a second agent', '1/1.1', [modelEnded('1/1', '', one), modelStarted('1/2')]],
  ['one of several calls', '1.1', [modelEnded('1', '', { type: 'act', actions: [bake, bake] })]],
])('names in each line about %s the call', (_what, call, turns) => {
  const error = { type: 'Error', message: 'no oven' };
  const events = atSeconds(
    started,
    ...turns,
    { type: 'attempt_failed', call, attempt: 1, error },
    { type: 'tool_progress', call, attempt: 2, text: 'warm' },
    { type: 'tool_failed', call, error, attempts: 2 },
    { type: 'reconciled', call, found: 'unknown' },
    { type: 'checkpoint', call, checkpoint: null },
  );
  expect(trace(events).split('\n').slice(-6, -1)).toEqual([
    `    attempt 1 (${call}) failed: no oven; trying again`,
    `    … (${call}) warm`,
    `    Failed (${call}) after 2 attempts: no oven`,
    `    Reloop asked the tool (${call}) whether it took effect: unknown`,
    `    Its work elsewhere (${call}) is over`,
  ]);
});

test('names a model call whose attempt fails beside a background call', () => {
  const error = { type: 'Error', message: 'busy' };
  const fails = { type: 'attempt_failed', call: '2', attempt: 1, error } as const;
  const alone = atSeconds(started, modelStarted('2'), fails);
  const beside = atSeconds(
    started,
    modelEnded('1', '', one),
    { type: 'action', call: '1.1', action: { ...bake, log: '' } },
    modelStarted('2'),
    fails,
  );
  expect(trace(alone)).toContain('attempt 1 failed');
  expect(trace(beside)).toContain('attempt 1 (2) failed');
});

function modelStarted(call: string): Timeless {
  return { type: 'model_started', call };
}
