import { describe, expect, test } from 'vitest';
import type { Json } from '../../agent/vocabulary.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import { sampleManifest } from '../support/manifest.ts';

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
    expect(shortened(long('a'), long('b'), long('c'), long('d'))).toEqual([
      'a'.repeat(200) + marker(1_000),
      'b'.repeat(200) + marker(1_000),
      'c'.repeat(200) + marker(1_000),
      long('d'),
    ]);
  });

  test('keeps what is short, and every action', () => {
    const before = context('short', long('a'), 'also short');
    const after = shortenOldest(before);
    expect(after?.steps.map(({ observation }) => observation)).toEqual([
      'short',
      'a'.repeat(200) + marker(1_000),
      'also short',
    ]);
    expect(after?.steps.map(({ action }) => action)).toEqual(before.steps.map(({ action }) => action));
  });

  test('shows a value as the beginning of its JSON text', () => {
    expect(shortened({ text: long('a') })).toEqual([`{"text":"${'a'.repeat(191)}${marker(1_011)}`]);
  });

  test.each<[what: string, observations: Json[]]>([
    ['no steps', []],
    ['short observations only', ['a'.repeat(400), '', null]],
  ])('that has %s cannot be shortened', (_what, observations) => {
    expect(shortened(...observations)).toBeUndefined();
  });

  test('can be shortened again and again until nothing is long', () => {
    let steps: Json[] = [long('a'), long('b')];
    for (let times = 0; times < 5; times++) steps = shortened(...steps) ?? steps;
    expect(steps.map(String).every((text) => text.length < 400)).toBe(true);
  });
});
