import { describe, expect, test } from 'vitest';
import type { AgentKind } from '../../../../agent/definition/kind.ts';
import { conversational } from '../../../../agent/kinds/conversational.ts';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { structuredChat } from '../../../../agent/kinds/structured-chat.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { renderRequest } from '../../../../agent/transcript/request.ts';
import { shortenOldest } from '../../../../agent/transcript/shorten.ts';
import { EMPTY, extendTranscript, transcriptAt } from '../../../../agent/transcript/state.ts';
import { type Json, EXCEPTION_TOOL } from '../../../../agent/values/vocabulary.ts';
import { buildRequest } from '../../../../adapters/models/openai/request/request-body.ts';
import { sampleManifest } from '../../../support/manifest.ts';

/** What a model call does must not grow with the steps before it, but for writing and sending the request. */

test.each(builtInKinds.map((kind) => [kind.name, kind] as const))(
  'an observation that is not text is written once for all requests of the kind %s',
  (_name, kind) => {
    let written = 0;
    const observation = { toJSON: () => ++written } as unknown as Json; // tells how often it becomes JSON
    const manifest = sampleManifest({ kind: kind.name, prompt: { ...kind.prompt } });
    const entries: Entry[] = [
      { type: 'agent', manifest },
      { type: 'question', input: 'What?', chatHistory: [] },
      { type: 'reply', call: '1', text: '', toolCalls: [{ id: 'a', name: 'Search', arguments: '{}' }] },
      { ...step(1, observation), toolCallId: 'a' },
    ];
    for (let request = 0; request < 3; request++) kind.render(conversation(entries));
    expect(written).toBe(1);
  },
);

test('the size of a transcript is that of the steps that are left', async () => {
  const begin: Entry[] = [
    { type: 'agent', manifest: sampleManifest({ trimIntermediateSteps: 2 }) },
    { type: 'question', input: 'What?', chatHistory: [] },
  ];
  const run = { workflowId: 'w', runId: 'r' };
  const find = () => Promise.reject(new Error('nothing is referred to'));
  let transcript = await extendTranscript(EMPTY, begin, find, run);
  for (let n = 1; n <= 10; n++) {
    const delta: Entry[] = [
      { type: 'reply', call: String(n), text: 'ä'.repeat(n), toolCalls: [] },
      step(n, 'ö'.repeat(100 * n)),
    ];
    transcript = await extendTranscript(transcript, delta, find, run);
    expect(transcript.bytes).toBe(transcriptAt(transcript.mark, transcript.entries).bytes);
  }
  expect(transcript.entries).toHaveLength(6);
});

function step(n: number, observation: Json): Extract<Entry, { type: 'step' }> {
  return {
    type: 'step',
    call: `${n}.1`,
    action: { tool: 'Search', toolInput: 'x', log: 'looks' },
    observation,
  };
}

const context = (...observations: Json[]) => ({
  manifest: sampleManifest(),
  input: 'Who?',
  chatHistory: [],
  variables: {},
  closing: false,
  steps: observations.map((observation, index) => ({
    action: { tool: 'Search', toolInput: `${index}`, log: 'log' },
    observation,
  })),
});
const shortened = (...observations: Json[]) =>
  shortenOldest(context(...observations))?.steps.map(({ observation }) => observation);
const long = (char: string) => char.repeat(1_000);
const marker = (total: number) =>
  `\n[shortened to fit into the model's context: the first 200 of ${total} characters]`;

describe('a context that is too long', () => {
  test('loses the ends of its oldest observations, until half of all is left', () => {
    const cut = ['a', 'b', 'c'].map((char) => char.repeat(200) + marker(1_000));
    expect(shortened(long('a'), long('b'), long('c'), long('d'))).toEqual([...cut, long('d')]);
  });

  test('keeps what is short, and every action', () => {
    const before = context('short', long('a'), 'also short');
    const after = shortenOldest(before);
    const observations = after?.steps.map(({ observation }) => observation);
    expect(observations).toEqual(['short', 'a'.repeat(200) + marker(1_000), 'also short']);
    expect(after?.steps.map(({ action }) => action)).toEqual(before.steps.map(({ action }) => action));
  });

  test('shows a value as the beginning of its JSON text', () => {
    expect(shortened({ text: long('a') })).toEqual([`{"text":"${'a'.repeat(191)}${marker(1_011)}`]);
  });

  test.each<[what: string, observations: Json[]]>([
    ['no steps', []],
    ['short observations only', ['a'.repeat(400), '', null]],
  ])('cannot be shortened where it has %s', (_what, observations) => {
    expect(shortened(...observations)).toBeUndefined();
  });

  test('can be shortened again and again until nothing is long', () => {
    let steps: Json[] = [long('a'), long('b')];
    for (let times = 0; times < 5; times++) steps = shortened(...steps) ?? steps;
    expect(steps.map(String).every((text) => text.length < 400)).toBe(true);
  });
});

/**
 * Providers read from a cache what a request has in common with an earlier one from its first byte on. `behind`: what a
 * request ends with and the next one has further back.
 */
const kinds: { kind: AgentKind; behind: string }[] = [
  { kind: toolCalling, behind: ']}' },
  { kind: conversational, behind: ']}' },
  // All is one message, whose text goes on.
  { kind: zeroShot, behind: '"}]}' },
  // Its format has a sentence behind the steps: the model is reminded of it last.
  { kind: structuredChat, behind: afterScratchpad(structuredChat.prompt['human'] ?? '') },
];

describe.each(kinds)('request n+1 begins with the bytes of request n, for $kind.name', ({ kind, behind }) => {
  test('through calls, replies that cannot be read, and what people say', () => {
    const bodies = requestsOf(kind, {});
    bodies.forEach((body, index) => {
      const next = bodies[index + 1];
      if (next === undefined) return;
      expect(body.endsWith(behind)).toBe(true);
      expect(next.startsWith(body.slice(0, -behind.length))).toBe(true);
    });
    expect(bodies).toHaveLength(turns.length + 2);
  });

  test('with trimIntermediateSteps until the first step is dropped, then up to the question', () => {
    const bodies = requestsOf(kind, { trimIntermediateSteps: 2 }, 1);
    const question = /What is it\?(?:"|\\n)/u.exec(bodies[0] ?? '');
    const upTo = (question?.index ?? 0) + 'What is it?'.length;
    for (const [index, body] of bodies.entries()) {
      const next = bodies[index + 1] ?? body;
      const kept = index < 2 ? body.slice(0, -behind.length) : body.slice(0, upTo);
      expect(next.startsWith(kept)).toBe(true);
    }
    expect(upTo).toBeGreaterThan(100);
    expect(bodies.at(-1)?.startsWith((bodies.at(-2) ?? '').slice(0, -behind.length))).toBe(false);
  });
});

/** What each turn adds to the transcript, by the calls it makes. */
const turns: Json[][] = [['sunny "é"\n'], [{ degrees: 20, of: ['°C'] }], ['one', 'two'], ['late']];

/** The bodies of the requests before, between and behind the turns; with `calls`, each turn makes so many. */
function requestsOf(kind: AgentKind, fields: { trimIntermediateSteps?: number }, calls?: number): string[] {
  const { name, prompt, stop } = kind;
  const manifest = sampleManifest({ kind: name, prompt: { ...prompt }, stop: [...stop], ...fields });
  const entries: Entry[] = [
    { type: 'agent', manifest },
    { type: 'question', input: 'What is it?', chatHistory: [] },
  ];
  const bodies = [bodyOf(kind, entries)];
  for (const [index, observations] of turns.entries()) {
    entries.push(...turn(kind, index + 1, observations.slice(0, calls)));
    if (calls === undefined && index === 1) entries.push({ type: 'message', text: 'In Celsius, please.' });
    bodies.push(bodyOf(kind, entries));
  }
  if (calls !== undefined) return bodies;
  entries.push({
    type: 'step',
    call: `${turns.length + 1}.1`,
    action: { tool: EXCEPTION_TOOL, toolInput: 'Say it properly.', log: 'gibberish' },
    observation: 'Say it properly.',
  });
  return [...bodies, bodyOf(kind, entries)];
}

function turn(kind: AgentKind, n: number, observations: Json[]): Entry[] {
  const native = kind === toolCalling;
  const ids = observations.map((_, index) => `call_${n}_${index}`);
  const toolCalls = ids.map((id) => ({ id, name: 'Search', arguments: `{"q":${n}}` }));
  return [
    ...(native ? [{ type: 'reply', call: String(n), text: '', toolCalls } as const] : []),
    ...observations.map((observation, index): Entry => ({
      type: 'step',
      call: `${n}.${index + 1}`,
      action: { tool: 'Search', toolInput: String(n), log: ` I look.\nAction: Search\nAction Input: ${n}` },
      toolCallId: native ? ids[index] : undefined,
      observation,
    })),
  ];
}

function bodyOf(kind: AgentKind, entries: readonly Entry[]): string {
  return JSON.stringify(buildRequest(renderRequest(kind, conversation(entries))).body);
}

function afterScratchpad(human: string): string {
  const [, behind = ''] = human.split('{agent_scratchpad}');
  return `${JSON.stringify(behind).slice(1)}}]}`;
}
