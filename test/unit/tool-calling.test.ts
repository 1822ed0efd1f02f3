import { describe, expect, test } from 'vitest';
import type { PromptContext, PromptStep, TurnReply } from '../../agent/definition/kind.ts';
import { toolCalling } from '../../agent/kinds/tool-calling.ts';
import type { ChatMessage, Json, ToolCall } from '../../agent/values/vocabulary.ts';
import { nativeManifest as manifest, rendered as renderedBy, sampleTool } from '../support/manifest.ts';

describe('a request', () => {
  test('without steps is the system text, the question, and the tools with their schemas', () => {
    const addition = sampleTool('add', 'Adds.', {
      inputSchema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    });
    expect(render({ manifest: manifest({ tools: [sampleTool('search', 'Looks up.'), addition] }) }))
      .toMatchInlineSnapshot(`
      {
        "messages": [
          {
            "content": "You answer the user as well as you can. Call the tools you are given where they help, several at once where they do not depend on one another. As soon as you know enough, answer in plain words.",
            "role": "system",
          },
          {
            "content": "How old is Ada?",
            "role": "user",
          },
        ],
        "tools": [
          {
            "description": "Looks up.",
            "name": "search",
            "parameters": {
              "properties": {
                "__arg1": {
                  "title": "__arg1",
                  "type": "string",
                },
              },
              "required": [
                "__arg1",
              ],
              "type": "object",
            },
          },
          {
            "description": "Adds.",
            "name": "add",
            "parameters": {
              "properties": {
                "a": {
                  "type": "integer",
                },
              },
              "required": [
                "a",
              ],
              "type": "object",
            },
          },
        ],
        "type": "messages",
      }
    `);
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
    expect(Object.keys(render({ manifest: manifest({ tools: [] }), closing: true }))).toEqual([
      'type',
      'messages',
    ]);
  });

  test('at the end of a stopped run forbids further calls', () => {
    const rendered = render({ steps: turn('', [['c1', 'search', '42']]), closing: true });
    expect(rendered.toolChoice).toBe('none');
    expect(rendered.tools).toHaveLength(2);
  });
});

describe('the scratchpad', () => {
  test('has the message of each turn once, then a message for each of its calls, in order', () => {
    const steps = [
      ...turn('I look twice.', [
        ['c1', 'search', 'first'],
        ['c2', 'search', 'second'],
      ]),
      ...turn('', [['c3', 'add', 3]]),
    ];
    expect(scratchpad(steps)).toEqual([
      {
        role: 'assistant',
        content: 'I look twice.',
        toolCalls: [call('c1', 'search'), call('c2', 'search')],
      },
      { role: 'tool', content: 'first', toolCallId: 'c1' },
      { role: 'tool', content: 'second', toolCallId: 'c2' },
      { role: 'assistant', content: null, toolCalls: [call('c3', 'add')] },
      { role: 'tool', content: '3', toolCallId: 'c3' },
    ]);
  });

  test('repeats the arguments to the letter, and writes {} where there were none', () => {
    const calls = [
      { id: 'c1', name: 'add', arguments: '{ "a":1.0 }' },
      { id: 'c2', name: 'add', arguments: '{broken' },
      { id: 'c3', name: 'add', arguments: '' },
    ];
    const reply = { text: '', toolCalls: calls };
    const steps = calls.map(({ id }) => step(reply, id, 'add', 'done'));
    expect(scratchpad(steps)[0]?.toolCalls?.map((each) => each.arguments)).toEqual([
      '{ "a":1.0 }',
      '{broken',
      '{}',
    ]);
  });

  test('shows only the calls whose steps are still shown: a provider refuses an unanswered one', () => {
    const [, ...rest] = turn('both', [
      ['c1', 'search', 'first'],
      ['c2', 'search', 'second'],
    ]);
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
    'keeps $kept of two observations with the same id $what, as LangChain does but for two turns: no call goes unanswered',
    ({ turns, tools, kept }) => {
      const steps = turns.flatMap((texts) =>
        turn(
          '',
          texts.map((text, index) => ['c1', tools[index] ?? '', text]),
        ),
      );
      const shown = scratchpad(steps);
      expect(shown.filter(({ role }) => role === 'assistant')).toHaveLength(turns.length);
      expect(shown.filter(({ role }) => role === 'tool')).toHaveLength(kept);
    },
  );

  test('tells of a call that could not be read in the place of its result', () => {
    const reply = { text: '', toolCalls: [call('c1', 'add'), call('c2', 'add')] };
    const observation = 'Invalid or incomplete response';
    const action = { tool: '_Exception', toolInput: observation, log: 'The arguments …: {bad' };
    const steps = [step(reply, 'c1', 'add', '3'), { action, observation, toolCallId: 'c2', reply }];
    expect(scratchpad(steps)[2]).toEqual({
      role: 'tool',
      content: `The arguments …: {bad\n${observation}`,
      toolCallId: 'c2',
    });
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

/** The steps of one turn: id, tool and observation of each call. */
function turn(text: string, calls: [id: string, tool: string, observation: Json][]): PromptStep[] {
  const reply = { text, toolCalls: calls.map(([id, tool]) => call(id, tool)) };
  return calls.map(([id, tool, observation]) => step(reply, id, tool, observation));
}

function step(reply: TurnReply, toolCallId: string, tool: string, observation: Json, log = ''): PromptStep {
  return { action: { tool, toolInput: {}, log }, observation, toolCallId, reply };
}

function call(id: string, name: string): ToolCall {
  return { id, name, arguments: '{"a":1}' };
}
