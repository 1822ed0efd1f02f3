import { expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { otherQuestion } from '../../../../client/start/other-question.ts';

/** A run that asked `poet` for `a poem`. */
const poem = {
  async *events(): AsyncGenerator<RunEvent> {
    yield { type: 'run_started', agent: 'poet', input: 'a poem' } as RunEvent; // the rest is not read
  },
};

test.each([
  ['the same question', 'poet', 'a poem', undefined],
  ['the same question in parts', 'poet', [{ type: 'text', text: 'a poem' }] as const, undefined],
  ['another question', 'poet', 'a novel', { agent: false, question: true }],
  ['another agent', 'singer', 'a poem', { agent: true, question: false }],
  ['another question to another agent', 'singer', 'a song', { agent: true, question: true }],
])('an id that is taken is compared with %s', async (_what, agent, input, differs) => {
  const expected = differs && { agent: 'poet', question: 'a poem', differs };
  expect(await otherQuestion(poem, { agent, input })).toEqual(expected);
});
