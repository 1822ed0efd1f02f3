/**
 * Replies were recorded with ConvoOutputParser, the parser of LangChain's conversational chat agent (langchain-classic
 * 1.0.8, Python 3.11), and compared at random as in structured-chat.test.ts, whose remarks on what differs hold here too.
 */
import { describe, expect, test } from 'vitest';
import { conversational } from '../../agent/kinds/conversational.ts';
import { parseConversationalAction } from '../../agent/reply/json-action.ts';
import type { PromptContext } from '../../agent/kinds/kind.ts';
import type { AgentManifest } from '../../agent/manifest.ts';
import type { AgentStep, ChatMessage, Json } from '../../agent/vocabulary.ts';
import { sampleManifest, sampleTool } from '../support/manifest.ts';
import { asRecorded, recordedReplies } from '../support/recorded-replies.ts';

const searched = step('```json\n{"action": "Search", "action_input": "10th Fibonacci"}\n```', '55');

describe('the prompt', () => {
  test('is a system message, and the question with tools and format before it', () => {
    const [system, question, ...rest] = prompt();
    expect(rest).toEqual([]);
    expect(system?.role).toBe('system');
    expect(system?.content).toMatchInlineSnapshot(`
      "You are an assistant who talks with people about whatever concerns them, answers their questions, short or long, and keeps in mind what was said before.

      You can have tools used where your own knowledge does not reach. What you say is natural, to the point and true; where you do not know something, you say so."
    `);
    expect(question?.role).toBe('user');
    expect(question?.content).toMatchInlineSnapshot(`
      "TOOLS
      ------
      You may ask me to use tools that find out what you need for your answer. I have these:

      > Search: Looks {things} up.
      > add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}

      RESPONSE FORMAT INSTRUCTIONS
      ----------------------------

      You reply to me in one of two ways, each a markdown code snippet with one JSON object.

      **Option 1:**
      When you want me to use a tool (one that is listed with args takes an object of them as its action_input):

      \`\`\`json
      {
          "action": "the tool to use, one of Search, add",
          "action_input": "what to give to the tool"
      }
      \`\`\`

      **Option 2:**
      When you want to speak to me yourself:

      \`\`\`json
      {
          "action": "Final Answer",
          "action_input": "what you want to say to me"
      }
      \`\`\`

      USER'S INPUT
      --------------------
      This is what I have to say (reply with a markdown code snippet of one JSON object with a single action, and with nothing else):

      What is fib(10)?"
    `);
  });

  test('with a step goes on with the reply as it came, and what was observed in a frame', () => {
    const [system, question, reply, response, ...rest] = prompt({ steps: [searched] });
    expect([system, question]).toEqual(prompt());
    expect(reply).toEqual({ role: 'assistant', content: searched.action.log });
    expect(response?.role).toBe('user');
    expect(response?.content).toMatchInlineSnapshot(`
      "TOOL RESPONSE:
      ---------------------
      55

      USER'S INPUT
      --------------------

      What do you reply to what I said last? I cannot see any TOOL RESPONSES: what you take from them has to be said in your answer, without the names of the tools. Reply with a markdown code snippet of one JSON object with a single action, and with nothing else."
    `);
    expect(rest).toEqual([]);
  });

  test('with two steps holds them in order', () => {
    const steps = [searched, step('B', 'seen')];
    const messages = prompt({ steps });
    expect(messages.slice(0, 4)).toEqual(prompt({ steps: [searched] }));
    expect(messages.slice(2).map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'user']);
    expect(messages.at(-2)?.content).toBe('B');
    expect(messages.at(-1)?.content).toContain('\nseen\n');
  });

  test.each<[what: string, observation: Json, shown: string]>([
    ['nothing', '', ''],
    ['braces, which are no fields', '{input} {"a": 1}', '{input} {"a": 1}'],
    ['an object, as JSON', { city: 'Rome', days: [1, 2] }, '{"city":"Rome","days":[1,2]}'],
    ['null', null, 'null'],
  ])('shows an observation: %s', (_what, observation, shown) => {
    expect(prompt({ steps: [step('A', observation)] }).at(-1)?.content).toContain(
      `TOOL RESPONSE:\n---------------------\n${shown}\n\nUSER'S INPUT\n--------------------\n\n`,
    );
  });

  test('has the chat history between system message and question', () => {
    const chatHistory: ChatMessage[] = [
      { role: 'user', content: '我是赖赖 {input}' },
      { role: 'assistant', content: '你好，赖赖！' },
    ];
    const [system, question] = prompt();
    expect(prompt({ chatHistory })).toEqual([system, ...chatHistory, question]);
  });

  test('asks for the answer in a message of its own when it is the last one', () => {
    const steps = [searched];
    expect(prompt({ steps, closing: true })).toEqual([
      ...prompt({ steps }),
      { role: 'user', content: 'I now need to return a final answer based on the previous steps:' },
    ]);
  });

  test('shows the schema of the answer behind the format', () => {
    const output = { type: 'object', properties: { n: { type: 'integer' } } };
    const question = prompt({ manifest: manifestOf({ output }) })[1];
    expect(question?.content).toContain(
      `fits this JSON Schema:\n${JSON.stringify(output)}\n\nUSER'S INPUT\n`,
    );
  });

  test('has the texts of the agent in place of its own, with the values of the start filled in', () => {
    const texts = {
      system: 'For {user}.',
      human: '{tools}\n{format_instructions}\n{input}',
      formatInstructions: 'JSON {{}}: {tool_names}',
      toolResponse: '{user} saw {observation}',
    };
    const variables = { user: '{input}', input: 'not this' };
    const steps = [step('A', '{user}')];
    expect(prompt({ manifest: manifestOf({ prompt: texts }), variables, steps })).toMatchInlineSnapshot(`
      [
        {
          "content": "For {input}.",
          "role": "system",
        },
        {
          "content": "> Search: Looks {things} up.
      > add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}
      JSON {{}}: Search, add
      What is fib(10)?",
          "role": "user",
        },
        {
          "content": "A",
          "role": "assistant",
        },
        {
          "content": "{input} saw {user}",
          "role": "user",
        },
      ]
    `);
  });

  test('has no system message where the agent has an empty one', () => {
    const manifest = manifestOf({ prompt: { ...conversational.prompt, system: '' } });
    expect(prompt({ manifest })).toEqual([prompt()[1]]);
  });
});

describe('the kind', () => {
  test('stops where the model would invent an observation', () => {
    expect(conversational.stop).toEqual(['\nObservation:', '\n\tObservation:']);
  });

  test('ends a stopped run with the fixed sentence', () => {
    expect(conversational.stoppedOutput).toBe('Agent stopped due to iteration limit or time limit.');
  });

  test('takes chat history', () => {
    expect(conversational.chatHistory).toBe(true);
  });
});

describe('a reply', () => {
  test.each<[what: string, text: string, tool: string, toolInput: Json]>([
    ['in a fence', '```json\n{"action": "A", "action_input": "x"}\n```', 'A', 'x'],
    ['in a fence behind prose', 'Sure.\n```json\n{"action": "A", "action_input": "x"}\n```', 'A', 'x'],
    ['with an object as input', '{"action": "A", "action_input": {"a": [1]}}', 'A', { a: [1] }],
    ['that was cut off in its input', '{"action": "A", "action_input": "x', 'A', 'x'],
  ])('is an action: %s', (_what, text, tool, toolInput) => {
    expect(read(text)).toEqual({ type: 'act', actions: [{ tool, toolInput, log: text }] });
  });

  test.each<[what: string, input: string, output: Json]>([
    ['text', '"你是赖赖。"', '你是赖赖。'],
    ['a number', '55', 55],
    ['a list', '[1, {"a": null}]', [1, { a: null }]],
    ['null', 'null', null],
  ])('is an answer of any type: %s', (_what, input, output) => {
    const text = `{"action": "Final Answer", "action_input": ${input}}`;
    expect(read(text)).toEqual({ type: 'finish', output, log: text });
  });

  test.each<[what: string, text: string]>([
    ['no input', '{"action": "A"}'],
    ['null as input', '{"action": "A", "action_input": null}'],
    ['a number as input', '{"action": "A", "action_input": 5}'],
    ['an answer without its text', '{"action": "Final Answer"}'],
    ['a list of actions', '[{"action": "A", "action_input": "x"}]'],
    ['no action', '{"action_input": "x"}'],
    ['prose', '你是赖赖。'],
  ])('is refused: %s', (_what, text) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        name: 'OutputParserError',
        message: `Could not parse LLM output: ${text}`,
        observation: undefined,
      }),
    );
  });

  test('is read as it was recorded', () => {
    const records = recordedReplies('conversational');
    expect(records.length).toBeGreaterThan(300);
    expect(records.map(({ text }) => asRecorded(parseConversationalAction, text))).toEqual(records);
  });
});

function prompt(context: Partial<PromptContext> = {}): ChatMessage[] {
  const rendered = conversational.render({
    manifest: manifestOf(),
    input: 'What is fib(10)?',
    chatHistory: [],
    steps: [],
    variables: {},
    closing: false,
    ...context,
  });
  return rendered.type === 'messages' ? rendered.messages : [];
}

function manifestOf(fields: Partial<AgentManifest> = {}): AgentManifest {
  const number = { type: 'number' };
  const inputSchema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
  const tools = [sampleTool('Search', 'Looks {things} up.'), sampleTool('add', 'Adds.', { inputSchema })];
  return sampleManifest({
    kind: conversational.name,
    prompt: { ...conversational.prompt },
    tools,
    ...fields,
  });
}

function read(text: string) {
  return conversational.parse({ text, toolCalls: [] }, manifestOf());
}

function step(log: string, observation: Json): AgentStep {
  return { action: { tool: 'A', toolInput: '', log }, observation };
}
