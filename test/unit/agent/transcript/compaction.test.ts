import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../../config/define.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { conversationBefore, isCompactionDue, keptTurns } from '../../../../agent/transcript/compaction.ts';
import { renderSummaryRequest } from '../../../../agent/transcript/summary-request.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { EMPTY, extendTranscript } from '../../../../agent/transcript/state.ts';
import { visible } from '../../../../agent/transcript/visible.ts';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { defineModel } from '../../../../adapters/models/model.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const agent: Entry = { type: 'agent', manifest: sampleManifest() };
const question: Entry = { type: 'question', input: 'Who?', chatHistory: [] };
const summary = (text: string, keep: number): Entry => ({ type: 'summary', text, keep });
const said = (text: string): Entry => ({ type: 'message', text });
const answered: Entry = { type: 'message', role: 'assistant', text: 'an answer' };
const reply = (turn: number): Entry => ({ type: 'reply', call: String(turn), text: '', toolCalls: [] });
const step = (call: string, observation = `seen ${call}`): Entry => ({
  type: 'step',
  call,
  action: { tool: 't', toolInput: call, log: `log ${call}` },
  observation,
});
const turns = [
  reply(1),
  step('1.1'),
  step('1.2'),
  step('2.1'),
  said('wait'),
  answered,
  reply(4),
  step('4.1'),
];
const shown = (entries: readonly Entry[]) => visible(entries, -1, (entry) => entry);

describe('a summary', () => {
  test.each([
    [1, [reply(4), step('4.1')]],
    [2, [answered, reply(4), step('4.1')]],
    [3, [step('2.1'), said('wait'), answered, reply(4), step('4.1')]],
    [9, turns],
  ])('stands in the place of all turns but the last %i, and tears none apart', (keep, kept) => {
    const later = said('and now?');
    expect(shown([agent, question, ...turns, summary('notes', keep), later])).toEqual([
      agent,
      question,
      summary('notes', keep),
      ...kept,
      later,
    ]);
  });

  test('gives the same prompt however often the entries so far were reduced to what the model sees', () => {
    const all = [...turns, summary('a', 2), step('5.1'), reply(6), step('6.1'), summary('b', 1), step('7.1')];
    let reduced: Entry[] = [agent, question];
    all.forEach((entry, index) => {
      reduced = shown([...reduced, entry]);
      expect(reduced).toEqual(shown([agent, question, ...all.slice(0, index + 1)]));
    });
    expect(reduced).toEqual([agent, question, summary('b', 1), reply(6), step('6.1'), step('7.1')]);
  });

  test('leaves the agent of a fork in force', () => {
    const other: Entry = { type: 'agent', manifest: sampleManifest({ model: 'other' }) };
    const entries = [agent, question, step('1.1'), other, step('2.1'), step('3.1'), summary('notes', 1)];
    expect(conversation(shown(entries)).manifest.model).toBe('other');
  });

  test('leaves known that earlier agents had other models', async () => {
    const other: Entry = { type: 'agent', manifest: sampleManifest({ model: 'other' }) };
    const delta = [agent, question, step('1.1'), other, step('2.1'), agent, step('3.1'), summary('notes', 1)];
    const run = { workflowId: 'w', runId: 'r' };
    const { entries } = await extendTranscript(EMPTY, delta, () => Promise.reject(new Error('no ref')), run);
    expect(entries).not.toContain(other);
    expect(conversation(entries).severalModels).toBe(true);
  });

  test('is asked of the agent that has the conversation, also if the handoff is in the turns that stay', () => {
    const other: Entry = { type: 'agent', manifest: sampleManifest({ model: 'other' }) };
    const context = conversationBefore([agent, question, step('1.1'), step('2.1'), other], 1);
    expect(context.manifest.model).toBe('other');
    expect(context.steps.map(({ observation }) => observation)).toEqual(['seen 1.1']);
  });
});

test.each([
  ['less than the threshold', 79, 5, false],
  ['the threshold', 80, 5, true],
  ['one turn, which the model has not seen', 100, 1, false],
])('a prompt of %s: %i tokens, %i turns', (_what, tokens, count, due) => {
  expect(isCompactionDue({ window: 100, at: 0.8, keep: 6 }, { tokens, turns: count })).toBe(due);
});

test('keeps fewer turns if these would fill half of the threshold, and always the last one', () => {
  const long = 'x'.repeat(400); // 100 tokens
  const entries = [1, 2, 3, 4, 5, 6].map((turn) => step(`${turn}.1`, long));
  const kept = (window: number, keep = 3) => keptTurns(entries, { window, at: 1, keep });
  expect([kept(10_000), kept(600), kept(10), kept(10_000, 100)]).toEqual([3, 2, 1, 5]);
});

test.each(builtInKinds)('the request for a summary begins as the last prompt did: $name', (kind) => {
  const manifest = sampleManifest({ prompt: { ...kind.prompt }, kind: kind.name });
  const begin: Entry[] = [{ type: 'agent', manifest }, question];
  const [before, after] = [[step('1.1')], [step('1.1'), step('2.1')]].map((steps) =>
    JSON.stringify(kind.render(conversation([...begin, ...steps]))),
  );
  const request = JSON.stringify(renderSummaryRequest(kind, conversation([...begin, step('1.1')])).prompt);
  const shown = (before?.indexOf('seen 1.1') ?? 0) + 'seen 1.1'.length;
  expect(shown).toBeGreaterThan(10);
  expect([request.slice(0, shown), after?.slice(0, shown)]).toEqual(Array(2).fill(before?.slice(0, shown)));
});

describe('the option compaction', () => {
  const model = defineModel({ call: () => Promise.reject(new Error('not asked')), window: 50_000 });
  const manifest = (more: Partial<AgentDefinition>) =>
    createLoadedConfig({ agents: [{ name: 'a', model, ...more }] }).manifest('a', {});

  test('takes the window from the model, or from the option', () => {
    expect(manifest({ compaction: {} })?.compaction).toEqual({ window: 50_000, at: 0.8, keep: 6 });
    expect(manifest({ compaction: { window: 9_000 } })?.compaction?.window).toBe(9_000);
    const smaller = { ...model, window: 20_000, modelName: 'small' };
    expect(manifest({ compaction: {}, model: [model, smaller] })?.compaction?.window).toBe(20_000);
    expect(manifest({})).not.toHaveProperty('compaction.window');
  });

  test('needs a window, and no trimming beside it', () => {
    expect(() => manifest({ compaction: {}, model: 'gpt-4o-mini' })).toThrow(
      'Agent "a": compaction needs the context window of gpt-4o-mini. Write compaction: { window: 128_000 }',
    );
    expect(() => manifest({ compaction: {}, trimIntermediateSteps: 3 })).toThrow(
      'Agent "a": compaction and trimIntermediateSteps both take old steps away.',
    );
  });
});
