import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { answerIn, stepLine } from '../../cli/chat/folded-words.ts';

const step = {
  call: '1.1',
  action: { tool: 'weather', toolInput: { city: 'Lisbon' }, log: '' },
  observation: '晴れ, '.repeat(40),
  attempts: 2,
  durationMs: 310,
};

test('a step is one line with what it cost, however narrow the terminal and wide the characters', () => {
  expect(stepLine(step, 80)).toMatch(
    /^ {2}1\.1 weather \{"city":"Lisbon"\} → 晴れ, .*… · 310 ms · 2 attempts$/u,
  );
  for (const cells of [20, 33, 44, 80]) expect(stringWidth(stepLine(step, cells))).toBeLessThanOrEqual(cells);
});

test.each([
  ['Thought: hm\nFinal Answer: It is', false, 'It is'],
  ['Thought: Do I need to use a tool? No\nAI: Hel', false, 'Hel'],
  ['```json\n{"action": "Final Answer", "action_input": "one\\n\\"two', false, 'one\n"two'],
  ['Thought: hm\nAction: search', false, undefined],
  ['Hello', true, 'Hello'],
])('of %j the answer so far is shown', (text, plain, answer) => {
  expect(answerIn(text, plain)).toBe(answer);
});
