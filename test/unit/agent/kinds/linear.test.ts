import { describe, expect, test } from 'vitest';
import { conversational } from '../../../../agent/kinds/conversational.ts';
import { structuredChat } from '../../../../agent/kinds/structured-chat.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { withoutFence } from '../../../../agent/reply/fence.ts';
import { decodeJson } from '../../../../agent/reply/json-decode.ts';
import { readJsonBlob } from '../../../../agent/reply/json-blob.ts';
import { pyJson, pyStrip } from '../../../../agent/reply/python-text.ts';
import { limitRepeats } from '../../../../agent/reply/repeats.ts';
import { cutAtStop, stopCutter } from '../../../../agent/reply/stop.ts';
import { readArguments } from '../../../../agent/prompt/tool-arguments.ts';
import { remembered } from '../../../../agent/transcript/memory.ts';
import { withoutSecrets } from '../../../../agent/text/secrets.ts';
import { turnsToFold, withNotes, withTurn } from '../../../../agent/session/turns.ts';
import { fill } from '../../../../agent/text/template.ts';
import { answerIn } from '../../../../cli/chat/chat-trace.ts';
import { type ChatMessage, noUsage } from '../../../../agent/values/vocabulary.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';

/**
 * Nothing that reads a reply may take more than linear time: it runs on the worker's only thread. The work of a regular
 * expression cannot be counted, so the assertion is the time-out: quadratic code takes minutes for these inputs of a
 * hundred thousand characters each, linear code milliseconds.
 */
const TIMEOUT_MS = 20_000;
const SIZE = 100_000;

const marks = ' |\n|\t|\r\n|`|```|```json\n|"|\\|\\"|\'|[|{|{"a":|[1,|9|1.|-|\ud83d|\u2003|\u2028';
const words =
  'Action:|Action |Action 1 |Action: a\n|Action Input |Action: a\nAction Input: b\n|Final Answer:';
const others = '\nObservation|\nObservation:|"action_input": |"action": "a", |Bearer |sk-';
const parts = [marks, words, others].flatMap((list) => list.split('|'));
/** Every part again and again; alone, and behind a beginning and before an end that it does not fit to. */
const inputs = parts.flatMap((part) => {
  const long = part.repeat(Math.ceil(SIZE / part.length));
  return [
    long,
    `{"action": "Search", "action_input": ${long}`,
    `Action: Search\nAction Input: {"a": 1,${long}x`,
  ];
});

const inputSchema = { type: 'object', properties: { a: {}, b: {} } };
const manifest = sampleManifest({ tools: [sampleTool('Search', 'Looks things up.', { inputSchema })] });
const stops = ['\nObservation:', '\n\tObservation:', '\n\n\n\n\n\n\n\n'];

const readers: { [name: string]: (text: string) => unknown } = {
  'zero-shot': (text) => zeroShot.parse({ text, toolCalls: [] }, manifest),
  'structured-chat': (text) => structuredChat.parse({ text, toolCalls: [] }, manifest),
  conversational: (text) => conversational.parse({ text, toolCalls: [] }, manifest),
  'tool-calling': (text) =>
    toolCalling.parse({ text, toolCalls: [{ id: 'a', name: 'Search', arguments: text }] }, manifest),
  readJsonBlob,
  decodeJson,
  'decodeJson with closers': (text) => decodeJson(text, '}]}'),
  readArguments,
  'readArguments of a text': (text) => readArguments(JSON.stringify({ text })),
  pyJson,
  pyStrip: (text) => pyStrip(`x${text}x`),
  withoutFence,
  fill: (text) => fill(`{${text}`, { a: 'b' }),
  cutAtStop: (text) => cutAtStop(text, stops),
  'stopCutter piece by piece': (text) => {
    const cutter = stopCutter(stops);
    for (let at = 0; at < text.length; at += 50) cutter.push(text.slice(at, at + 50));
    return cutter.end();
  },
  limitRepeats: (text) =>
    limitRepeats({ type: 'act', actions: [{ tool: 'a', toolInput: text }] }, 3, undefined),
  withoutSecrets: (text) => withoutSecrets(text, ['key/0123456789abcdefghij', '```````````````']),
  'answerIn, as a chat shows it': (text) => answerIn(text, false),
  withTurn: (text) => withTurn([], 'q', { output: text }, 10_000),
};

test.each(Object.entries(readers))(
  '%s reads any hundred thousand characters at once',
  (_name, read) => {
    const outcomes = inputs.map((text) => outcome(() => read(text)));
    // A RangeError would be a stack that overflows.
    expect(outcomes).not.toContain('RangeError');
  },
  TIMEOUT_MS,
);

describe('a conversation of 20,000 turns', () => {
  const messages = Array.from({ length: 20_000 }, (_item, n): ChatMessage[] => [
    { role: 'user', content: `question ${n}` },
    { role: 'assistant', content: `answer ${n}` },
  ]).flat();

  test.each<[what: string, read: () => ChatMessage[]]>([
    [
      'is cut to what fits behind a long answer',
      () => withTurn(messages, 'q', { output: 'a'.repeat(100_000) }, 150_000),
    ],
    ['is shown as a window', () => remembered(messages, { kind: 'window', turns: 3 })],
    ['is shown by tokens', () => remembered(messages, { kind: 'tokens', tokens: 100 })],
    ['is folded', () => turnsToFold(messages, { kind: 'summary', tokens: 1 })?.turns ?? []],
    ['becomes a summary', () => withNotes({ messages }, { summary: 'short', usage: noUsage }).messages],
  ])(
    '%s in one pass',
    (_what, read) => {
      expect(read().length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

/** The name of what is thrown; undefined for a result. */
function outcome(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.name : 'no error';
  }
}
