import { describe, expect, test } from 'vitest';
import { conversational } from '../../../../agent/kinds/conversational.ts';
import { manifestOfKind, renderedMessages, sampleStep } from '../../../support/manifest.ts';

const searched = sampleStep('```json\n{"action": "Search", "action_input": "10th Fibonacci"}\n```', '55');

const prompt = (context?: Parameters<typeof renderedMessages>[1]) =>
  renderedMessages(conversational, context);

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

  test('has the texts of the agent in place of its own, with the values of the start filled in', () => {
    const texts = {
      system: 'For {user}.',
      human: '{tools}\n{format_instructions}\n{input}',
      formatInstructions: 'JSON {{}}: {tool_names}',
      toolResponse: '{user} saw {observation}',
    };
    const variables = { user: '{input}', input: 'not this' };
    const steps = [sampleStep('A', '{user}')];
    const manifest = manifestOfKind(conversational, { prompt: texts });
    const tools =
      '> Search: Looks {things} up.\n> add: Adds., args: {"a":{"type":"number"},"b":{"type":"number"}}';
    expect(prompt({ manifest, variables, steps })).toEqual([
      { role: 'system', content: 'For {input}.' },
      { role: 'user', content: `${tools}\nJSON {{}}: Search, add\nWhat is fib(10)?` },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: '{input} saw {user}' },
    ]);
  });
});
