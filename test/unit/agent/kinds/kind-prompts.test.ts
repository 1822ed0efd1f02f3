import { describe, expect, test } from 'vitest';
import type { AgentKind, PromptContext, PromptStep } from '../../../../agent/definition/kind.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { conversational } from '../../../../agent/kinds/conversational.ts';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { structuredChat } from '../../../../agent/kinds/structured-chat.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { contentText } from '../../../../agent/values/content.ts';
import type { ChatMessage, Json } from '../../../../agent/values/vocabulary.ts';
import { manifestOfKind, rendered, sampleStep } from '../../../support/manifest.ts';
import { asRecorded, recordedReplies } from '../../../support/recorded-replies.ts';

/** Facts that have one shape in all kinds. The frame around them is the snapshot of each kind, in the file of its name. */

const CLOSING = 'I now need to return a final answer based on the previous steps:';

describe.each(builtInKinds)('the prompt of $name', (kind) => {
  const city = { city: 'Zürich', days: [1, 2] };
  test.each<[what: string, observation: Json, shown: string, asPython?: string]>([
    ['text', '55', '55'],
    ['nothing', '', ''],
    ['several lines', 'a\n\nb\n', 'a\n\nb\n'],
    ['braces, which are no fields', '{input} {"a": 1}', '{input} {"a": 1}'],
    ['text that reads like an answer, as it is', 'Final Answer: 1', 'Final Answer: 1'],
    ['an object', city, '{"city":"Zürich","days":[1,2]}', '{"city": "Zürich", "days": [1, 2]}'],
    ['a number', 55, '55'],
    ['false', false, 'false'],
    ['null', null, 'null'],
    ['a text with quotes, without further ones', '"55"', '"55"'],
  ])('shows an observation: %s', (_what, observation, shown, asPython = shown) => {
    const text = kind === toolCalling ? asPython : shown;
    const told = (value: Json) => lastOf(prompt(kind, { steps: [stepOf(value)] }));
    expect(told(observation)).toBe(told('MARK').replace('MARK', () => text));
  });

  test('has the chat history between system message and question, where the kind has a place for it', () => {
    const chatHistory: ChatMessage[] = [
      { role: 'user', content: '我是赖赖 {input}' },
      { role: 'assistant', content: '你好，赖赖！' },
    ];
    const without = prompt(kind);
    const [system, question, ...rest] = without;
    expect(rest).toEqual([]);
    const shown = kind === zeroShot ? without : [system, ...chatHistory, question];
    expect(prompt(kind, { chatHistory })).toEqual(shown);
  });
});

const behindSteps = (content: string) => content.replace(/(?=\n \(keep|$)/u, `\n\n${CLOSING}`);

test.each<[string, AgentKind, messages: number, asked: (content: string) => string]>([
  ['zero-shot', zeroShot, 0, behindSteps],
  ['structured-chat', structuredChat, 0, behindSteps],
  ['conversational', conversational, 1, () => CLOSING],
  ['tool-calling', toolCalling, 1, () => CLOSING],
])('%s asks for the answer behind the steps when it is the last request', (_name, kind, messages, asked) => {
  const steps = [stepOf('b')];
  const open = prompt(kind, { steps });
  const kept = messages === 0 ? open.slice(0, -1) : open;
  const last = { role: 'user', content: asked(lastOf(open)) };
  expect(prompt(kind, { steps, closing: true })).toEqual([...kept, last]);
});

test.each<[string, AgentKind, texts: { [name: string]: string }, before: string, behind: string]>([
  ['zero-shot', zeroShot, {}, '\n\n', '\n\nLet us begin.'],
  ['structured-chat', structuredChat, {}, '\n\n', '\n\nLet us begin.'],
  ['structured-chat with its own system text', structuredChat, { system: 'Mine.' }, '§Mine.\n\n', '§'],
  ['conversational', conversational, {}, '\n\n', "\n\nUSER'S INPUT\n"],
  ['tool-calling', toolCalling, {}, 'in plain words.\n\n', '§'],
  ['tool-calling without a system text', toolCalling, { system: '' }, '§', '§'],
])('%s shows the schema of the answer behind the format', (_name, kind, texts, before, behind) => {
  const output = { type: 'object', properties: { n: { type: 'integer' } } };
  const manifest = manifestOfKind(kind, { output, prompt: { ...kind.prompt, ...texts } });
  const told = `The final answer has to be JSON, and nothing but JSON, that fits this JSON Schema:\n${JSON.stringify(output)}`;
  const contents = prompt(kind, { manifest }).map(({ content }) => `§${contentText(content)}§`);
  expect(contents.join('')).toContain(`${before}${told}${behind}`);
});

test.each([conversational, toolCalling])('$name has no system message for an empty text', (kind) => {
  const manifest = manifestOfKind(kind, { prompt: { ...kind.prompt, system: '' } });
  expect(prompt(kind, { manifest })).toEqual(prompt(kind).slice(1));
});

/**
 * Replies were recorded with the parsers of langchain-classic 1.0.8 (Python 3.11): JSONAgentOutputParser, the one of
 * create_structured_chat_agent, and ConvoOutputParser, the one of the conversational chat agent. Beside the fixtures,
 * 70,000 random replies were compared (record-parsers.py bulk) and none differed.
 * What is meant to differ: messages carry no link to a troubleshooting page, and an integer beyond 2^53 stays its text. What cannot be
 * helped: how deep brackets may go depends in Python on who calls.
 */
test.each([
  ['structured-chat', structuredChat],
  ['conversational', conversational],
] as const)('%s reads a reply as it was recorded', (name, kind) => {
  const records = recordedReplies(name);
  expect(records.length).toBeGreaterThan(300);
  const read = (text: string) => kind.parse({ text, toolCalls: [] }, manifestOfKind(kind));
  expect(records.map(({ text }) => asRecorded(read, text))).toEqual(records);
});

/** The messages of a prompt; one that is a text has an empty system message before it. */
type Given = Partial<PromptContext> & { manifest?: AgentManifest };
function prompt(kind: AgentKind, context: Given = {}): ChatMessage[] {
  const made = rendered(kind, manifestOfKind(kind), context);
  if (made.type === 'messages') return made.messages;
  return [
    { role: 'system', content: '' },
    { role: 'user', content: made.text },
  ];
}

function lastOf(messages: ChatMessage[]): string {
  return contentText(messages.at(-1)?.content ?? null);
}

/** A step that all kinds can show. */
function stepOf(observation: Json): PromptStep {
  const toolCalls = [{ id: 'c1', name: 'A', arguments: '{}' }];
  return { ...sampleStep('A', observation), toolCallId: 'c1', reply: { text: 'A', toolCalls } };
}
