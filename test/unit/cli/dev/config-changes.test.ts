import { expect, test } from 'vitest';
import { changesBetween, summaryOf } from '../../../../cli/dev/summary.ts';
import { agent, loadedConfig, tool } from '../../../support/config.ts';

const summary = (...agents: object[]) => summaryOf(loadedConfig({ agents }));
const x = tool({ name: 'x' });
const y = tool({ name: 'y' });

test('two configs that say the same have no changes', () => {
  expect(changesBetween(summary(agent({ tools: [x] })), summary(agent({ tools: [x] })))).toBe('agents a');
});

test('tools that came and went are named, and agents that are not what they were', () => {
  const before = summary(agent({ tools: [x] }), agent({ name: 'b' }));
  const after = summary(agent({ tools: [y] }), agent({ name: 'c' }));
  const changes = 'agents a, c; + tool y, - tool x, + agent c, - agent b, agent a changed';
  expect(changesBetween(before, after)).toBe(changes);
});

test('a tool whose code is another has changed', () => {
  const other = tool({ name: 'x', run: () => 'done otherwise' });
  expect(changesBetween(summary(agent({ tools: [x] })), summary(agent({ tools: [other] })))).toBe(
    'agents a; tool x changed',
  );
});
