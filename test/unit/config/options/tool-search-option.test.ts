import { expect, test } from 'vitest';
import { agent, loadedConfig, problemOf, tool } from '../../../support/config.ts';

const tools = [tool({ name: 'find' }), tool({ name: 'pay' })];

test('an agent that searches records its tools as hidden, but for those to show', () => {
  const loaded = loadedConfig({
    agents: [agent({ tools, toolSearch: { show: ['pay'] } }), agent({ name: 'b', tools })],
  });
  const own = loaded.manifest('a', {});
  expect(own?.toolSearch).toEqual({ results: 5 });
  expect(own?.tools.map(({ name, hidden }) => [name, hidden])).toEqual([
    ['find', true],
    ['pay', undefined],
    ['search_tools', undefined],
    ['use_tool', undefined],
  ]);
  expect(loaded.manifest('b', {})?.tools.map(({ name }) => name)).toEqual(['find', 'pay']);
});

test('an agent that does not search records nothing of it', () => {
  const loaded = loadedConfig({ agents: [agent({ tools, toolSearch: false })] });
  expect(loaded.manifest('a', {})).not.toHaveProperty('toolSearch');
  expect([...loaded.tools.keys()]).toEqual(['find', 'pay']);
});

test.each([
  [
    { tools, toolSearch: { show: ['fly'] } },
    'Agent "a": toolSearch.show: the agent has no tool fly. It has: find, pay.',
  ],
  [
    { tools: [tool({ name: 'use_tool' })], toolSearch: true },
    'The config has a tool use_tool, which is the name of one that Reloop adds here. Rename yours.',
  ],
  [
    { tools, toolSearch: 'all' },
    'the config: agent "a": toolSearch: is neither true nor { show, results }: the names of tools that the prompt has as well, and a number from 1.',
  ],
])('the config is refused with %j', (fields, problem) => {
  expect(problemOf({ agents: [agent(fields)] })).toBe(problem);
});
