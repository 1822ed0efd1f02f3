import { describe, expect, test } from 'vitest';
import { conversational } from '../../agent/kinds/conversational.ts';
import type { AgentKind } from '../../agent/kinds/kind.ts';
import { structuredChat } from '../../agent/kinds/structured-chat.ts';
import { toolCalling } from '../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../agent/kinds/zero-shot.ts';
import { type Entry, conversation } from '../../agent/transcript/entries.ts';
import { renderRequest } from '../../agent/transcript/request.ts';
import { EXCEPTION_TOOL, type Json } from '../../agent/vocabulary.ts';
import { writeBody } from '../../models/openai/kept-body.ts';
import { buildRequest } from '../../models/openai/request-body.ts';
import { sampleManifest } from '../support/manifest.ts';

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

describe.each(kinds)(
  'of the kind $kind.name, request n+1 begins with the bytes of request n',
  ({ kind, behind }) => {
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
  },
);

/** What each turn adds to the transcript, by the calls it makes. */
const turns: Json[][] = [['sunny "é"\n'], [{ degrees: 20, of: ['°C'] }], ['one', 'two'], ['late']];

/** The bodies of the requests before, between and behind the turns; with `calls`, each turn makes so many. */
function requestsOf(kind: AgentKind, fields: { trimIntermediateSteps?: number }, calls?: number): string[] {
  const manifest = sampleManifest({
    kind: kind.name,
    prompt: { ...kind.prompt },
    stop: [...kind.stop],
    ...fields,
  });
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

/** Each as another conversation's, so that nothing is copied. */
function bodyOf(kind: AgentKind, entries: readonly Entry[]): string {
  const { body } = buildRequest(renderRequest(kind, conversation(entries)));
  return writeBody(body, `prefix ${kind.name} ${Math.random()}`).toString();
}

function afterScratchpad(human: string): string {
  const [, behind = ''] = human.split('{agent_scratchpad}');
  return `${JSON.stringify(behind).slice(1)}}]}`;
}
