import { describe, expect, test } from 'vitest';
import { cutAtStop, stopCutter } from '../../../../agent/reply/stop.ts';
import { fill } from '../../../../agent/text/template.ts';

const OBSERVATION = ['\nObservation:', '\n\tObservation:'];

describe('a whole reply', () => {
  test.each<[what: string, text: string, stops: string[], kept: string, stop: string | undefined]>([
    ['stays as it is without one', 'a\nObservation', OBSERVATION, 'a\nObservation', undefined],
    ['stays as it is where nothing stops', 'a', [], 'a', undefined],
    ['may be empty', '', OBSERVATION, '', undefined],
    ['is cut before a stop string', 'a\nObservation: 1', OBSERVATION, 'a', '\nObservation:'],
    ['is cut before any of several', 'a\n\tObservation: 1', OBSERVATION, 'a', '\n\tObservation:'],
    ['is cut at the first place', 'a\nObservation: 1\nObservation: 2', OBSERVATION, 'a', '\nObservation:'],
    ['is cut at the first place, whatever the order of the list', 'a.b;c', [';', '.'], 'a', '.'],
    ['is nothing where it begins with a stop string', '\nObservation: 1', OBSERVATION, '', '\nObservation:'],
    ['is cut at a stop string that ends it', 'ab', ['b'], 'a', 'b'],
    ['names the longer of two stop strings that begin at one place', 'a\n\nb', ['\n', '\n\n'], 'a', '\n\n'],
    ['is cut where the earlier of two overlapping stop strings begins', 'xabcx', ['bc', 'ab'], 'x', 'ab'],
    ['is cut at a stop string that lies inside an unfinished one', 'xaby', ['abc', 'b'], 'xa', 'b'],
    ['is compared by case', 'a\nobservation: 1', OBSERVATION, 'a\nobservation: 1', undefined],
    ['is not cut at an empty stop string', 'ab', ['', 'b'], 'a', 'b'],
    ['is not cut inside a character', '😀中文', ['中'], '😀', '中'],
  ])('%s', (_what, text, stops, kept, stop) => {
    expect(cutAtStop(text, stops)).toEqual({ text: kept, stop });
  });
});

describe('a reply in pieces is cut like a whole one, wherever it was split,', () => {
  // Cases beyond two letters: three stop strings, and characters of two code units.
  test.each<[what: string, text: string, stops: string[]]>([
    ['with both of those of an agent', 'Input: 1\n\tObservation: 2\nObs\nObservation: 1', OBSERVATION],
    ['with one that lies at the end of another', 'xabcdy', ['abcd', 'cd', 'c']],
    ['with three, one inside the other', 'wxyzabc', ['wxyzaX', 'xyzab', 'za']],
    ['with characters of two code units', 'é😀中👩‍👩‍👧\nObservation: 😀', OBSERVATION],
    ['with a stop string of such characters', 'a😀😃b', ['😃', '😀😀']],
    ['with an empty stop string', 'abc', ['', 'b']],
    ['with no stop strings', 'abc', []],
  ])('%s', (_what, text, stops) => {
    expect(wronglyCut(text, stops)).toEqual([]);
  });

  test('for every text over two letters and every pair of stop strings', () => {
    const stops = words(3);
    const pairs = stops.flatMap((first) => stops.map((second) => [first, second]));
    expect(words(5).flatMap((text) => pairs.flatMap((pair) => wronglyCut(text, pair)))).toEqual([]);
  });

  test('even when its bytes are split inside a character and decoded before', () => {
    const text = 'Thought: 天気は晴れ 😀\nObservation: ☀';
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at++) {
      const decoder = new TextDecoder();
      const cutter = stopCutter(OBSERVATION);
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)].map((part) =>
        cutter.push(decoder.decode(part, { stream: true })),
      );
      expect(pieces.join('') + cutter.end()).toBe('Thought: 天気は晴れ 😀');
    }
  });
});

describe('while pieces come', () => {
  test('text is given out at once, but for an end that a stop string may begin with', () => {
    const cutter = stopCutter(OBSERVATION);
    const pieces = ['Input: 1', ' and\n', 'Ob', 'ject', '\nObservation', ': 2', ' more'];
    const given = pieces.map((piece) => cutter.push(piece));
    expect(given).toEqual(['Input: 1', ' and', '', '\nObject', '', '', '']);
    expect(cutter.stopped).toBe(true);
    expect(cutter.end()).toBe('');
  });

  test('the end that was held back is given out when nothing more comes, once', () => {
    const cutter = stopCutter(OBSERVATION);
    cutter.push('1\nObserv');
    expect(cutter.stopped).toBe(false);
    expect([cutter.end(), cutter.end()]).toEqual(['\nObserv', '']);
  });
});
/** The splits of a text of which pieces give something else than the whole, or too much before the end. */
function wronglyCut(text: string, stops: string[]): string[][] {
  const whole = cutAtStop(text, stops);
  return [...splits(text)].filter((pieces) => {
    const cutter = stopCutter(stops);
    const pushed = pieces.map((piece) => cutter.push(piece)).join('');
    const isWhole = pushed + cutter.end() === whole.text && cutter.stopped === (whole.stop !== undefined);
    return !isWhole || !whole.text.startsWith(pushed);
  });
}
/** A text in two and in three pieces, at every place, and character by character; pieces may be empty. */
function* splits(text: string): Generator<string[]> {
  yield text.split('');
  for (let first = 0; first <= text.length; first++) {
    yield [text.slice(0, first), text.slice(first)];
    for (let second = first; second <= text.length; second++) {
      yield [text.slice(0, first), text.slice(first, second), text.slice(second)];
    }
  }
}

/** All words of the letters a and b, up to a length. */
function words(length: number): string[] {
  if (length === 0) return [];
  const shorter = words(length - 1);
  const stems = length === 1 ? [''] : shorter.filter((word) => word.length === length - 1);
  return [...shorter, ...stems.flatMap((word) => [`${word}a`, `${word}b`])];
}

const values = { input: 'Who?', tools: 'A: a', empty: '' };
const OF_OBJECTS = '{toString} {constructor} {__proto__}';
const NO_NAMES = '{} { input } {"a": 1} {a.b} {input';

test.each<[what: string, template: string, filled: string]>([
  ['has each name filled in, as often as it comes', '{input} {tools} {input}', 'Who? A: a Who?'],
  ['has nothing filled in where the value is empty', '[{empty}]', '[]'],
  ['keeps names that it does not know', '{question} {Input}', '{question} {Input}'],
  ['keeps names that every object has', OF_OBJECTS, OF_OBJECTS],
  ['keeps braces around anything but a name', NO_NAMES, NO_NAMES],
  ['keeps the braces around a name in braces', '{{input}}', '{Who?}'],
  ['is kept where it has no names', 'Question:', 'Question:'],
])('a template %s', (_what, template, filled) => {
  expect(fill(template, values)).toBe(filled);
});

test.each<[what: string, value: string]>([
  ['the name of another value', '{tools}'],
  ['its own name', '{input}'],
  ['JSON', '{"city": "Rome"}'],
  ['patterns of String.replace', "$& $1 $$ $` $'"],
  ['Python format fields', '{0} {x!r:>10}'],
])('a template does not look into what it fills in: %s', (_what, value) => {
  expect(fill('<{input}>{tools}', { input: value, tools: 'T' })).toBe(`<${value}>T`);
});
