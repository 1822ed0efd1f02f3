import { contentText } from '../../../../agent/values/content.ts';
import { describe, expect, test } from 'vitest';
import type { AgentKind, PromptContext } from '../../../../agent/definition/kind.ts';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { conversational } from '../../../../agent/kinds/conversational.ts';
import { structuredChat } from '../../../../agent/kinds/structured-chat.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { renderRequest, unshownMessages } from '../../../../agent/transcript/request.ts';
import { sampleManifest } from '../../../support/manifest.ts';

/** What people say to a run while it goes on, in the prompts of each kind. */

const says = (text: string): Entry => ({ type: 'message', text });
const answered = (text: string): Entry => ({ type: 'message', role: 'assistant', text });

/** Two steps, and two messages between them, in the log that the kind would have. */
function contextOf(kind: AgentKind, ...rest: Entry[]): PromptContext {
  const manifest = sampleManifest({
    kind: kind.name,
    prompt: { ...kind.prompt, human: '{input}{agent_scratchpad}' },
  });
  return conversation([
    { type: 'agent', manifest },
    { type: 'question', input: 'What?', chatHistory: [] },
    ...rest,
  ]);
}

function step(n: number, log = ` I look.\nAction: Search\nAction Input: ${n}`): Entry {
  return {
    type: 'step',
    call: `${n}.1`,
    action: { tool: 'Search', toolInput: String(n), log },
    observation: `result ${n}`,
  };
}

/** The prompt from the question on. */
function shown(kind: AgentKind, context: PromptContext): unknown {
  const prompt = kind.render(context);
  if (prompt.type === 'text') return prompt.text.slice(prompt.text.indexOf('Question: What?'));
  const line = ({ role, content, toolCalls }: (typeof prompt.messages)[number]) =>
    `${role}: ${content === null ? JSON.stringify(toolCalls) : contentText(content)}`;
  return prompt.messages.slice(1).map(line).join('\n---\n');
}

describe('a message to a run', () => {
  test('stands behind the observation or the answer that it came upon, in a prompt that is one text', () => {
    const briefly = says('And\nbriefly.');
    const turns = [
      step(1),
      says('In Celsius, please.'),
      briefly,
      step(2),
      answered(' I know.\nFinal Answer: 70'),
    ];
    const context = contextOf(zeroShot, ...turns, says('Sure?'));
    expect(shown(zeroShot, context)).toMatchInlineSnapshot(`
      "Question: What?
      Thought: I look.
      Action: Search
      Action Input: 1
      Observation: result 1
      Message from the user: In Celsius, please.
      Message from the user: And
      briefly.
      Thought: I look.
      Action: Search
      Action Input: 2
      Observation: result 2
      Thought: I know.
      Final Answer: 70
      Message from the user: Sure?
      Thought:"
    `);
  });

  test('stands behind the question where there is no step yet', () => {
    expect(shown(zeroShot, contextOf(zeroShot, says('In Celsius, please.')))).toMatchInlineSnapshot(`
      "Question: What?
      Thought:
      Message from the user: In Celsius, please.
      Thought:"
    `);
  });

  test('stands in the scratchpad of structured-chat', () => {
    const context = contextOf(structuredChat, step(1), says('In Celsius, please.'));
    expect(shown(structuredChat, context)).toMatchInlineSnapshot(`
      "user: What? I look.
      Action: Search
      Action Input: 1
      Observation: result 1
      Message from the user: In Celsius, please.
      Thought: "
    `);
  });

  test("is the user's own in a conversation, which is reminded of its format", () => {
    const context = contextOf(
      conversational,
      step(1, '{"action": "Search", "action_input": "1"}'),
      says('In {Celsius}, please.'),
      answered('{"action": "Final Answer", "action_input": "21"}'),
      says('Sure?'),
    );
    expect(shown(conversational, context)).toMatchInlineSnapshot(`
      "user: What?{agent_scratchpad}
      ---
      assistant: {"action": "Search", "action_input": "1"}
      ---
      user: TOOL RESPONSE:
      ---------------------
      result 1

      USER'S INPUT
      --------------------

      What do you reply to what I said last? I cannot see any TOOL RESPONSES: what you take from them has to be said in your answer, without the names of the tools. Reply with a markdown code snippet of one JSON object with a single action, and with nothing else.
      ---
      user: USER'S INPUT
      --------------------

      In {Celsius}, please.

      What do you reply to me now? Reply with a markdown code snippet of one JSON object with a single action, and with nothing else.
      ---
      assistant: {"action": "Final Answer", "action_input": "21"}
      ---
      user: USER'S INPUT
      --------------------

      Sure?

      What do you reply to me now? Reply with a markdown code snippet of one JSON object with a single action, and with nothing else."
    `);
  });

  test('stands between the turns of native tool calls, behind all results of the one before', () => {
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'Search', arguments: '{}' }));
    const context = contextOf(
      toolCalling,
      { type: 'reply', call: '1', text: '', toolCalls },
      { ...step(1), toolCallId: 'a' } as Entry,
      { ...step(1), call: '1.2', toolCallId: 'b' } as Entry,
      says('In Celsius, please.'),
      step(2, 'unreadable'),
      says('Hello?'),
      step(3, 'unreadable too'),
    );
    expect(shown(toolCalling, context)).toMatchInlineSnapshot(`
      "user: What?{agent_scratchpad}
      ---
      assistant: [{"id":"a","name":"Search","arguments":"{}"},{"id":"b","name":"Search","arguments":"{}"}]
      ---
      tool: result 1
      ---
      tool: result 1
      ---
      user: In Celsius, please.
      ---
      assistant: unreadable
      ---
      user: result 2
      ---
      user: Hello?
      ---
      assistant: unreadable too
      ---
      user: result 3"
    `);
  });

  test.each(builtInKinds.map((kind) => [kind.name, kind] as const))(
    'is shown by the kind %s when steps are trimmed away, and when the run is closed',
    (_name, kind) => {
      const entries = [says('first'), step(1), says('second'), step(2), says('third'), step(3)];
      const context = contextOf(kind, ...entries);
      const trimmed = conversation(
        [
          { type: 'agent', manifest: { ...context.manifest, trimIntermediateSteps: 1 } },
          { type: 'question', input: 'What?', chatHistory: [] },
          ...entries,
        ],
        true,
      );
      expect(trimmed.steps).toHaveLength(1);
      expect(unshownMessages(trimmed, renderRequest(kind, trimmed))).toEqual([]);
    },
  );

  test('is missed where a custom kind leaves it out', () => {
    const context = contextOf(zeroShot, says('first'), answered('no'), says('second'));
    expect(unshownMessages(context, { prompt: { type: 'text', text: 'only first' } })).toEqual(['second']);
  });
});
