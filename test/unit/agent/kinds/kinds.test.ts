import { describe, expect, test } from 'vitest';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import type { Json, ToolCall } from '../../../../agent/values/vocabulary.ts';
import { nativeManifest as manifest, sampleTool } from '../../../support/manifest.ts';

test('each kind says where the model would invent an observation, and whether it takes chat history', () => {
  const said = builtInKinds.map(({ name, stop, chatHistory }) => [name, chatHistory, ...stop]);
  expect(said).toEqual([
    ['zero-shot', false, '\nObservation:', '\n\tObservation:'],
    ['structured-chat', true, '\nObservation'],
    ['conversational', true, '\nObservation:', '\n\tObservation:'],
    ['tool-calling', true],
  ]);
});

test('each kind ends a stopped run with the fixed sentence of its AgentExecutor', () => {
  const legacy = 'Agent stopped due to iteration limit or time limit.';
  const said = builtInKinds.map(({ stoppedOutput }) => stoppedOutput);
  expect(said).toEqual([legacy, legacy, legacy, 'Agent stopped due to max iterations.']);
});

describe('a reply', () => {
  test.each(['The answer is 4.', '', ' {"not": "parsed"} '])(
    'without tool calls is the answer: %j',
    (text) => {
      const read = toolCalling.parse({ text, toolCalls: [] }, manifest());
      expect(read).toEqual({ type: 'finish', output: text, log: text });
    },
  );

  test.each<[text: string, args: string, toolInput: Json, log: string]>([
    ['', '{"a":1,"b":true}', { a: 1, b: true }, 'Invoking `add` with {"a":1,"b":true}'],
    ['I add.', '{"a":1.0}', { a: 1 }, 'I add.\nInvoking `add` with {"a":1}'],
    ['', '{"__arg1":"hi"}', 'hi', 'Invoking `add` with "hi"'],
    ['', '', {}, 'Invoking `add` with {}'],
  ])('%j with %j is an action whose log has the words and the call', (text, args, toolInput, log) => {
    const toolCalls = [{ id: 'c1', name: 'add', arguments: args }];
    const action = { tool: 'add', toolInput, log, toolCallId: 'c1' };
    expect(toolCalling.parse({ text, toolCalls }, manifest())).toEqual({ type: 'act', actions: [action] });
  });

  test('with a lot of words beside many calls repeats only their beginning in each log', () => {
    const toolCalls = [call('c1', 'add'), call('c2', 'add')];
    const decision = toolCalling.parse({ text: 'w'.repeat(200_000), toolCalls }, manifest());
    const actions = decision.type === 'act' ? decision.actions : [];
    expect(actions.map(({ log }) => /^w{4000}…\nInvoking/u.test(log))).toEqual([true, true]);
  });

  test('with hundreds of calls keeps all logs together small enough to be recorded', () => {
    const toolCalls = Array.from({ length: 250 }, (_item, index) => call(`c${index}`, 'add'));
    const decision = toolCalling.parse({ text: 'w'.repeat(200_000), toolCalls }, manifest());
    expect(JSON.stringify(decision).length).toBeLessThan(150_000);
  });

  test('with several calls is as many actions in order; only the unreadable one says so', () => {
    const long = `{"a": ${'9'.repeat(1000)}`;
    const toolCalls = [call('c1', 'add'), { id: 'c2', name: 'add', arguments: long }, call('c3', 'search')];
    const decision = toolCalling.parse({ text: '', toolCalls }, manifest());
    const actions = decision.type === 'act' ? decision.actions : [];
    expect(actions.map(({ tool, toolCallId }) => `${tool} ${toolCallId}`)).toEqual([
      'add c1',
      'add c2',
      'search c3',
    ]);
    const said = /^The arguments of the call of add are not a JSON object \(.+\): \{"a": 9+…$/u;
    const unreadable = [undefined, expect.stringMatching(said), undefined];
    expect(actions.map((action) => action.unreadable)).toEqual(unreadable);
  });
});

describe('an agent of the kind', () => {
  test.each([
    { what: 'a name with a space', tool: 'Python REPL', api: 'chat', problem: /"Python REPL".*rename/u },
    { what: 'a name of 65 letters', tool: 'a'.repeat(65), api: 'chat', problem: /at most 64/u },
    { what: 'a name in Chinese', tool: '搜索', api: 'chat', problem: /"搜索"/u },
    { what: 'legacy completions', tool: 'search', api: 'completions', problem: /api: 'chat'/u },
  ] as const)('is refused for $what', ({ tool, api, problem }) => {
    const tools = [sampleTool('ok', ''), sampleTool(tool, '')];
    const params = { api, stream: false, requestTimeoutMs: 1 };
    expect(toolCalling.validate?.(manifest({ tools, params }))).toMatch(problem);
  });

  test.each(['search', 'get_weather-2', 'a'.repeat(64)])('may have a tool called %s', (name) => {
    expect(toolCalling.validate?.(manifest({ tools: [sampleTool(name, '')] }))).toBeUndefined();
  });
});

function call(id: string, name: string): ToolCall {
  return { id, name, arguments: '{"a":1}' };
}
