/**
 * Replies were recorded with the parser of create_structured_chat_agent, JSONAgentOutputParser of langchain-classic 1.0.8
 * (Python 3.11). Beside the fixtures, 70,000 random replies were compared (record-parsers.py bulk) and none differed.
 * What is meant to differ: messages carry no link to a troubleshooting page. What cannot be helped: integers beyond 2^53
 * lose digits, and how deep brackets may go depends in Python on who calls. */
import { contentText } from '../../agent/values/content.ts';
import { describe, expect, test } from 'vitest';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { structuredChat } from '../../agent/kinds/structured-chat.ts';
import type { ChatMessage, Json } from '../../agent/values/vocabulary.ts';
import { manifestOfKind, renderedMessages, sampleStep, sampleTool } from '../support/manifest.ts';
import { asRecorded, recordedReplies } from '../support/recorded-replies.ts';

const searched = sampleStep(
  'Action:\n```\n{"action": "Search", "action_input": "10th Fibonacci"}\n```',
  '55',
);
const added = sampleStep('Action:\n```\n{"action": "add", "action_input": {"a": 21, "b": 34}}\n```', 55);

const prompt = (context?: Parameters<typeof renderedMessages>[1]) =>
  renderedMessages(structuredChat, context);

describe('the prompt', () => {
  test('is a system message and a question', () => {
    const [system, question, ...rest] = prompt();
    expect(rest).toEqual([]);
    expect(system?.role).toBe('system');
    expect(system?.content).toMatchInlineSnapshot(`
      "Help the user as well and as correctly as you can. These tools are at your disposal:

      Search: Looks {things} up., args: {"tool_input":{"type":"string"}}
      add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}

      You act by writing one JSON object: its "action" says what to do and its "action_input" what to do it with.

      "action" is the name of a tool or "Final Answer"; the tools are: Search, add
      "action_input" is an object with the tool's arguments, or one plain string for a tool with one argument.

      There is exactly one action to a JSON object, like this:

      \`\`\`
      {
        "action": "the tool to use",
        "action_input": {"name of an argument": "its value"}
      }
      \`\`\`

      Keep to this format:

      Question: the question you have to answer
      Thought: what is known by now and what is to be done next
      Action:
      \`\`\`
      the JSON object
      \`\`\`
      Observation: what the tool returned
      ... (Thought, Action and Observation may come round as often as needed)
      Thought: I know what to answer
      Action:
      \`\`\`
      {
        "action": "Final Answer",
        "action_input": "the answer for the user"
      }
      \`\`\`

      Let us begin. Whatever you do, do it as one JSON object with a single action. Use a tool where it helps, and answer at once where none is needed. First comes "Action:", then the JSON object between two lines of \`\`\`, then the Observation."
    `);
    expect(question?.role).toBe('user');
    expect(question?.content).toMatchInlineSnapshot(`
      "What is fib(10)?


       (keep in mind: everything you say has to be a JSON object with an action)"
    `);
  });

  test('with steps holds each reply as it came, and what was observed, behind the question', () => {
    expect(lastOf(prompt({ steps: [searched, added] }))).toMatchInlineSnapshot(`
      "What is fib(10)?

      Action:
      \`\`\`
      {"action": "Search", "action_input": "10th Fibonacci"}
      \`\`\`
      Observation: 55
      Thought: Action:
      \`\`\`
      {"action": "add", "action_input": {"a": 21, "b": 34}}
      \`\`\`
      Observation: 55
      Thought: 
       (keep in mind: everything you say has to be a JSON object with an action)"
    `);
  });

  test.each<[what: string, observation: Json, line: string]>([
    ['nothing, and the space behind the colon stays', '', 'Observation: '],
    ['braces, which are no fields', '{input} {"a": 1}', 'Observation: {input} {"a": 1}'],
    ['an object, as JSON', { city: 'Rome', days: [1, 2] }, 'Observation: {"city":"Rome","days":[1,2]}'],
    ['null', null, 'Observation: null'],
  ])('shows an observation: %s', (_what, observation, line) => {
    expect(lastOf(prompt({ steps: [sampleStep('A', observation)] }))).toContain(
      `What is fib(10)?\n\nA\n${line}\nThought: \n (`,
    );
  });

  test('lists the definitions that the arguments of a tool refer to', () => {
    const $defs = { city: { type: 'string' } };
    const inputSchema = { type: 'object', properties: { to: { $ref: '#/$defs/city' } }, $defs };
    const tools = [sampleTool('go', 'Goes there.', { inputSchema })];
    expect(systemOf({ tools })).toContain(
      '\ngo: Goes there., args: {"to":{"$ref":"#/$defs/city"},"$defs":{"city":{"type":"string"}}}\n',
    );
  });

  test('has the chat history between system message and question', () => {
    const chatHistory: ChatMessage[] = [
      { role: 'user', content: 'I am {input}.' },
      { role: 'assistant', content: 'Hello.' },
    ];
    const [system, ...rest] = prompt({ chatHistory });
    expect(system).toEqual(prompt()[0]);
    expect(rest).toEqual([...chatHistory, prompt()[1]]);
  });

  test('asks for the answer behind the steps when it is the last one', () => {
    expect(lastOf(prompt({ steps: [sampleStep('A', 'b')], closing: true }))).toContain(
      'A\nObservation: b\nThought: \n\nI now need to return a final answer based on the previous steps:\n (',
    );
  });

  test('shows the schema of the answer behind the format', () => {
    const output = { type: 'object', properties: { n: { type: 'integer' } } };
    const told = `fits this JSON Schema:\n${JSON.stringify(output)}`;
    expect(systemOf({ output })).toContain(`${told}\n\nLet us begin.`);
    const own = { ...structuredChat.prompt, system: 'Mine.' };
    expect(systemOf({ output, prompt: own })).toContain(told);
  });

  test('has the texts of the agent in place of its own, with the values of the start filled in', () => {
    const texts = {
      prefix: 'For {user}:\n{tools}',
      formatInstructions: 'One of {tool_names}.',
      suffix: '{{go}}',
    };
    const manifest = withTexts({ ...texts, human: '{agent_scratchpad}|{input}' });
    const variables = { user: '{input}', input: 'not this' };
    expect(prompt({ manifest, variables, steps: [sampleStep('A', 'b')] })).toMatchInlineSnapshot(`
      [
        {
          "content": "For {input}:
      Search: Looks {things} up., args: {"tool_input":{"type":"string"}}
      add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}

      One of Search, add.

      {{go}}",
          "role": "system",
        },
        {
          "content": "A
      Observation: b
      Thought: |What is fib(10)?",
          "role": "user",
        },
      ]
    `);
  });

  test('has a system text of the agent in place of prefix, format and suffix', () => {
    const manifest = withTexts({ system: 'Tools: {tool_names}\n{tools}' });
    expect(prompt({ manifest })[0]?.content).toMatchInlineSnapshot(`
      "Tools: Search, add
      Search: Looks {things} up., args: {"tool_input":{"type":"string"}}
      add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}"
    `);
    expect(prompt({ manifest })[1]).toEqual(prompt()[1]);
  });
});

test('a reply is read as it was recorded', () => {
  const records = recordedReplies('structured-chat');
  expect(records.length).toBeGreaterThan(300);
  expect(records.map(({ text }) => asRecorded(read, text))).toEqual(records);
});

function lastOf(messages: ChatMessage[]): string {
  return contentText(messages.at(-1)?.content ?? null);
}

function systemOf(fields: Partial<AgentManifest>): string {
  return contentText(prompt({ manifest: manifestOfKind(structuredChat, fields) })[0]?.content ?? null);
}

function withTexts(texts: { [name: string]: string }): AgentManifest {
  return manifestOfKind(structuredChat, { prompt: { ...structuredChat.prompt, ...texts } });
}

function read(text: string) {
  return structuredChat.parse({ text, toolCalls: [] }, manifestOfKind(structuredChat));
}
