import { expect, test } from 'vitest';
import { agent, loadedConfig, problemOf, tool } from '../../../support/config.ts';

const bake = tool({ name: 'bake', background: true });

test('only an agent with a background tool has the tool that controls its calls', () => {
  const agents = [agent({ tools: [bake] }), agent({ name: 'b', tools: [tool({ name: 'plain' })] })];
  const loaded = loadedConfig({ agents });
  expect(loaded.manifest('a', {})?.tools.map(({ name, controls }) => [name, controls])).toEqual([
    ['bake', undefined],
    ['background', true],
  ]);
  expect(loaded.manifest('b', {})?.tools.map(({ name }) => name)).toEqual(['plain']);
});

test('a tool of that name is refused beside a background tool, and only there', () => {
  const own = tool({ name: 'background' });
  expect(problemOf({ agents: [agent({ tools: [own, bake] })] })).toContain('Rename yours.');
  expect(problemOf({ agents: [agent({ tools: [own] })] })).toBe('none');
});
