import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../support/cli.ts';

/** Keeps the sources in plain English. */

const { arrows } = (await import(join(root, '.ci/arrows.mjs'))) as { arrows: { [folder: string]: unknown } };

const files = Object.keys(arrows)
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((file) => file.endsWith('.ts'))
  .toSorted();

/** A comment begins with a noun or a verb: not with a relative, a preposition, a conjunction or a bare pronoun. `If` and `When` may begin one. */
const BEGINNING =
  /^(?:Of|What|That|Where|Whether|Who|Which|Whose|Why|How|As|For|In|By|With|Without|After|Before|From|At|On|Within|Between|Under|Behind|Until|Since|Also|Only|Not|Else|So|And|But|Or|Such|It|Its|They|Their|Those|Somebody|Nobody|Something)\b/u;

/** Phrases of comments, strings and names, each with the plain one. */
const PHRASES: readonly [RegExp, string][] = [
  [/\bmend(?:s|ed|ing)?\b/iu, 'fix'],
  [/\banew\b/iu, 'again'],
  [/(?<!\bthere )\bis no (?!longer\b|more\b)/iu, 'is not a'],
  [/\b(?:go|goes|gone|went|going) on\b|\bgoesOn\b/iu, 'continue'],
  [/\bin hand\b/iu, 'under way'],
  [/\bwhoever\b/iu, 'the noun'],
  [/\bby (?:itself|themselves)\b/iu, 'on its own, automatically'],
  [/\b(?:told|tells?) of\b/iu, 'reported, notified'],
  [/\bof (?:its|their|your|our|his) own\b(?! \w)/iu, 'own, custom, separate'],
  [/\bgo(?:es)? before\b/iu, 'overrides'],
  [/[,;(] else\b(?! if)|\bor else\b/iu, 'otherwise'],
];

/** Private names, each with the field's term. */
const NAMES: readonly [RegExp, string][] = [
  [/\bpark(?:s|ed|ing)?\b/iu, 'wait'],
  [/\bmadeOnce\b/u, 'memoize'],
  [/\bharmless(?:ly)?\b/iu, 'sanitize'],
  [/\bMailbox\b|\bHappening\b/u, 'queue, event'],
  [/\b[uU]nhurried\b|\bOverdue\b/u, 'poll, time-out'],
  [/\blight(?:Fetch|-fetch)\b|\bkept-?body\b/iu, 'undiciFetch'],
  [/\bpatientDispatcher\b|\bPATIENT\b/u, 'no time-out'],
  [/\bmodel-?behind\b/iu, 'openAICompatibleModel'],
  [/\bmeant-?call\b/iu, 'target call'],
  [/\bbecomesOf\b|\bsayAlone\b|\bsayAgain\b|\bcomeBack\b/u, 'a verb and the noun'],
  [/\bhearing\b/u, 'timer'],
  [/\b(?:didNothing|doubtful|NotOurs)\b/u, 'noEffect, unknownOutcome, AttemptSuperseded'],
  [/\b(?:MadeCall|isMadeHere)\b/u, 'inline call'],
  [/\b(?:abroad|located)\b/u, 'withRunId, qualifyMediaRefs'],
  [/\breckoned[A-Z]\w+/u, 'budgetTokens'],
  [/\b(?:cutOffInterceptor|takeDeadAttempts|failLostAttempts)\b/u, 'drain, orphans'],
  [
    /\b(?:interface|type|class) (?:Asked|Given|Decided|Wanted|Typed|Reached|Place|Answer|What|Around|Below|Above|Link|Standing|Spent)\b/u,
    'a noun that says which thing',
  ],
  [/\b(?:ToldOnce|ToldCounts|SentWord|callsWithModel)\b/u, 'emitted, reported, message, inline calls'],
];

describe.each(files)('%s', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  test('has plain comments, texts and names', () => {
    const comments = commentsOf(text);
    const beginnings = comments.filter((comment) => BEGINNING.test(comment));
    expect(beginnings).toEqual([]);
    // A phrase may go over a line break of a comment.
    const texts = [text, ...comments];
    expect([...texts.flatMap((one) => found(PHRASES, one)), ...found(NAMES, text)]).toEqual([]);
  });
});

describe('the check of words', () => {
  test('finds a comment that begins with no noun and no verb, in one line, in several, and beside code', () => {
    const text =
      'const a = 1; // Of b\n/** What is c. */\n/**\n * Whether\n * d.\n */\n// Where e\n/** For f. */\n// Only g\n/** If h. */\n/** Offers i. */';
    expect(commentsOf(text).filter((comment) => BEGINNING.test(comment))).toEqual([
      'Of b',
      'What is c.',
      'Whether d.',
      'Where e',
      'For f.',
      'Only g',
    ]);
  });

  test('leaves addresses alone', () => {
    expect(commentsOf("const url = 'http://what.example/';")).toEqual([]);
  });

  test('finds each phrase and each name', () => {
    const phrases =
      'Mended anew: it is no run, goes on, in hand, whoever is told of it, by itself, of its own, goes before it, or else.';
    expect(found(PHRASES, phrases)).toHaveLength(PHRASES.length);
    const names =
      'parked madeOnce harmless Mailbox unhurried lightFetch PATIENT modelBehind meantCall becomesOf hearing NotOurs MadeCall abroad reckonedTokens failLostAttempts interface Asked SentWord';
    expect(found(NAMES, names)).toHaveLength(NAMES.length);
  });
});

/** Comments of a source as plain texts. */
function commentsOf(text: string): string[] {
  return [...text.matchAll(/\/\*\*([^]*?)\*\/|(?<=^|\s)\/\/ ([^\n]*)/gmu)].map(([, block, line]) =>
    (block ?? line ?? '')
      .replaceAll(/^\s*\* ?/gmu, '')
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  );
}

function found(words: readonly [RegExp, string][], text: string): string[] {
  return words.flatMap(([pattern, instead]) => {
    const [word] = pattern.exec(text) ?? [];
    return word === undefined ? [] : [`"${word}": ${instead}`];
  });
}
