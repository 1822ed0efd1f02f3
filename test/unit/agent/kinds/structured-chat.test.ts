import { contentText } from '../../../../agent/values/content.ts';
import { describe, expect, test } from 'vitest';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { structuredChat } from '../../../../agent/kinds/structured-chat.ts';
import type { ChatMessage } from '../../../../agent/values/vocabulary.ts';
import { manifestOfKind, renderedMessages, sampleStep, sampleTool } from '../../../support/manifest.ts';

const search = '{"action": "Search", "action_input": "10th Fibonacci"}';
const searched = sampleStep(`Action:\n\`\`\`\n${search}\n\`\`\``, '55');
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

  test('lists the definitions that the arguments of a tool refer to', () => {
    const $defs = { city: { type: 'string' } };
    const inputSchema = { type: 'object', properties: { to: { $ref: '#/$defs/city' } }, $defs };
    const tools = [sampleTool('go', 'Goes there.', { inputSchema })];
    const args = '{"to":{"$ref":"#/$defs/city"},"$defs":{"city":{"type":"string"}}}';
    expect(systemOf({ tools })).toContain(`\ngo: Goes there., args: ${args}\n`);
  });

  test('has the texts of the agent in place of its own, with the values of the start filled in', () => {
    const texts = {
      prefix: 'For {user}:\n{tools}',
      formatInstructions: 'One of {tool_names}.',
      suffix: '{{go}}',
    };
    const manifest = withTexts({ ...texts, human: '{agent_scratchpad}|{input}' });
    const variables = { user: '{input}', input: 'not this' };
    const [system, human] = prompt({ manifest, variables, steps: [sampleStep('A', 'b')] });
    expect(system?.content).toMatchInlineSnapshot(`
      "For {input}:
      Search: Looks {things} up., args: {"tool_input":{"type":"string"}}
      add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}

      One of Search, add.

      {{go}}"
    `);
    expect(human?.content).toBe('A\nObservation: b\nThought: |What is fib(10)?');
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

function lastOf(messages: ChatMessage[]): string {
  return contentText(messages.at(-1)?.content ?? null);
}

function systemOf(fields: Partial<AgentManifest>): string {
  return contentText(prompt({ manifest: manifestOfKind(structuredChat, fields) })[0]?.content ?? null);
}

function withTexts(texts: { [name: string]: string }): AgentManifest {
  return manifestOfKind(structuredChat, { prompt: { ...structuredChat.prompt, ...texts } });
}
