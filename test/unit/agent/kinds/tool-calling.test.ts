import { describe, expect, test } from 'vitest';
import type { PromptContext, PromptStep, TurnReply } from '../../../../agent/definition/kind.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import type { ChatMessage, Json, ToolCall } from '../../../../agent/values/vocabulary.ts';
import { nativeManifest as manifest, rendered as renderedBy, sampleTool } from '../../../support/manifest.ts';

describe('a request', () => {
  test('without steps is the system text, the question, and the tools with their schemas', () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const tools = [sampleTool('search', 'Looks up.'), sampleTool('add', 'Adds.', { inputSchema })];
    const description = 'The whole input of the tool, as one text.';
    const properties = { __arg1: { title: '__arg1', type: 'string', description } };
    const text = { type: 'object', properties, required: ['__arg1'] };
    const content =
      'You answer the user as well as you can. Call the tools you are given where they help, several at once where they do not depend on one another. As soon as you know enough, answer in plain words.';
    expect(render({ manifest: manifest({ tools }) })).toEqual({
      type: 'messages',
      messages: [
        { role: 'system', content },
        { role: 'user', content: 'How old is Ada?' },
      ],
      tools: [
        { name: 'search', description: 'Looks up.', parameters: text },
        { name: 'add', description: 'Adds.', parameters: inputSchema },
      ],
    });
  });

  test("fills the question and the user's own values into the texts of the agent, and nothing else", () => {
    const prompt = { system: 'Today is {day}. {unknown} {"a": 1}', human: 'Q: {input} ({day})' };
    const filled = messages({ manifest: manifest({ prompt }), variables: { day: '{input}' } });
    expect(filled.map(({ content }) => content)).toEqual([
      'Today is {input}. {unknown} {"a": 1}',
      'Q: How old is Ada? ({input})',
    ]);
  });

  test('names no tools where the agent has none', () => {
    const request = render({ manifest: manifest({ tools: [] }), closing: true });
    expect(Object.keys(request)).toEqual(['type', 'messages']);
  });

  test('at the end of a stopped run forbids further calls', () => {
    const rendered = render({ steps: turn('', ['c1', 'search', '42']), closing: true });
    expect(rendered.toolChoice).toBe('none');
    expect(rendered.tools).toHaveLength(2);
  });
});

describe('the scratchpad', () => {
  test('has the message of each turn once, then a message for each of its calls, in order', () => {
    const both = turn('I look twice.', ['c1', 'search', 'first'], ['c2', 'search', 'second']);
    const toolCalls = [call('c1', 'search'), call('c2', 'search')];
    expect(scratchpad([...both, ...turn('', ['c3', 'add', 3])])).toEqual([
      { role: 'assistant', content: 'I look twice.', toolCalls },
      { role: 'tool', content: 'first', toolCallId: 'c1' },
      { role: 'tool', content: 'second', toolCallId: 'c2' },
      { role: 'assistant', content: null, toolCalls: [call('c3', 'add')] },
      { role: 'tool', content: '3', toolCallId: 'c3' },
    ]);
  });

  test('repeats the arguments to the letter', () => {
    const written = ['{ "a":1.0 }', '{broken', ''];
    const toolCalls = written.map((text, index) => ({ id: `c${index + 1}`, name: 'add', arguments: text }));
    const reply = { text: '', toolCalls };
    const steps = toolCalls.map(({ id }) => step(reply, id, 'add', 'done'));
    const repeated = scratchpad(steps)[0]?.toolCalls?.map((each) => each.arguments);
    expect(repeated).toEqual(['{ "a":1.0 }', '{broken', '']);
  });

  test('shows only the calls whose steps are still shown: a provider refuses an unanswered one', () => {
    const [, ...rest] = turn('both', ['c1', 'search', 'first'], ['c2', 'search', 'second']);
    expect(scratchpad(rest)).toEqual([
      { role: 'assistant', content: 'both', toolCalls: [call('c2', 'search')] },
      { role: 'tool', content: 'second', toolCallId: 'c2' },
    ]);
  });

  test.each([
    { what: 'in one turn', turns: [['x', 'x']], tools: ['search', 'search'], kept: 1 },
    { what: 'over two turns', turns: [['x'], ['x']], tools: ['search', 'search'], kept: 2 },
    { what: 'but other text', turns: [['x', 'y']], tools: ['search', 'search'], kept: 2 },
    { what: 'but another tool', turns: [['x', 'x']], tools: ['search', 'add'], kept: 2 },
  ])(
    'keeps $kept of two observations with the same id $what: no call goes unanswered',
    ({ turns, tools, kept }) => {
      const calls = (texts: string[]) =>
        texts.map((text, index) => ['c1', tools[index] ?? '', text] as const);
      const shown = scratchpad(turns.flatMap((texts) => turn('', ...calls(texts))));
      expect(shown.filter(({ role }) => role === 'assistant')).toHaveLength(turns.length);
      expect(shown.filter(({ role }) => role === 'tool')).toHaveLength(kept);
    },
  );

  test('tells of a call that could not be read in the place of its result', () => {
    const reply = { text: '', toolCalls: [call('c1', 'add'), call('c2', 'add')] };
    const observation = 'Invalid or incomplete response';
    const action = { tool: '_Exception', toolInput: observation, log: 'The arguments …: {bad' };
    const steps = [step(reply, 'c1', 'add', '3'), { action, observation, toolCallId: 'c2', reply }];
    const content = `The arguments …: {bad\n${observation}`;
    expect(scratchpad(steps)[2]).toEqual({ role: 'tool', content, toolCallId: 'c2' });
  });

  test('answers a call of _Exception as that of any tool there is not', () => {
    const reply = { text: '', toolCalls: [call('c1', '_Exception')] };
    const [, answer] = scratchpad([step(reply, 'c1', '_Exception', 'It is not a valid tool.', 'Invoking')]);
    expect(answer).toMatchObject({ role: 'tool', content: 'It is not a valid tool.' });
  });

  test('tells of a whole reply that could not be read as of something said and answered', () => {
    const observation = 'Invalid Format: too long';
    const action = { tool: '_Exception', toolInput: observation, log: 'I would say' };
    const reply = { text: 'I would say', toolCalls: [call('c1', 'add')] };
    expect(scratchpad([{ action, observation, reply }])).toEqual([
      { role: 'assistant', content: 'I would say' },
      { role: 'user', content: observation },
    ]);
  });
});

function render(context: Partial<PromptContext> = {}) {
  const rendered = renderedBy(toolCalling, manifest(), { input: 'How old is Ada?', ...context });
  if (rendered.type === 'text') throw new Error('The kind asks with messages.');
  return rendered;
}

function messages(context: Partial<PromptContext>): ChatMessage[] {
  return render(context).messages;
}

/** The messages behind the question. */
function scratchpad(steps: PromptStep[]): ChatMessage[] {
  return messages({ steps }).slice(2);
}

/** The steps of one turn. */
type Called = readonly [id: string, tool: string, observation: Json];
function turn(text: string, ...calls: Called[]): PromptStep[] {
  const reply = { text, toolCalls: calls.map(([id, tool]) => call(id, tool)) };
  return calls.map(([id, tool, observation]) => step(reply, id, tool, observation));
}

function step(reply: TurnReply, toolCallId: string, tool: string, observation: Json, log = ''): PromptStep {
  return { action: { tool, toolInput: {}, log }, observation, toolCallId, reply };
}

function call(id: string, name: string): ToolCall {
  return { id, name, arguments: '{"a":1}' };
}
