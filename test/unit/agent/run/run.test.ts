import { describe, expect, test } from 'vitest';
import type { RunFact } from '../../../../agent/run/run-fact.ts';
import { Run } from '../../../../agent/run/run.ts';

const began: Extract<RunFact, { type: 'started' }> = {
  type: 'started',
  workflow: 'agentRun',
  workflowId: 'run',
  runId: '1',
  input: { agent: 'a', question: { input: 'q', chatHistory: [] } },
};
const said: RunFact = { type: 'message', message: { type: 'say', text: 'hurry' } };

/** A run after these facts, and the events of the last one. */
function after(...facts: RunFact[]) {
  const run = new Run('run');
  const [last = []] = facts.map((fact, at) => run.next(fact, at)).slice(-1);
  return { kept: run.kept, last };
}

describe('what nobody has heard', () => {
  test.each<[string, RunFact]>([
    ['failed', { type: 'failed', error: null }],
    ['was cancelled', { type: 'cancelled' }],
  ])('is reported when the run %s, and kept for a retry', (_, end) => {
    const { kept, last } = after(began, said, end);
    expect(last).toContainEqual({ type: 'unheard', messages: ['hurry'] });
    expect(kept.unheard).toEqual(['hurry']);
  });

  test('is in the input of the next execution, not in the state of the one before', () => {
    const { kept } = after(began, said, { type: 'failed', error: null }, { ...began, runId: '2' });
    expect(kept.unheard).toEqual([]);
  });
});
