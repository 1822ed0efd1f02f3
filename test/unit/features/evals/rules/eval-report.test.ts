import { describe, expect, test } from 'vitest';
import { noUsage } from '../../../../../agent/values/vocabulary.ts';
import { evalPage } from '../../../../../features/evals/command/eval-page.ts';
import { reportLines } from '../../../../../features/evals/command/print-reports.ts';
import { caseKeys } from '../../../../../features/evals/rules/case-keys.ts';
import { comparedWith, reportOf } from '../../../../../features/evals/rules/eval-report.ts';
import { junitOf } from '../../../../../features/evals/rules/junit.ts';
import type { CaseResult } from '../../../../../features/evals/rules/score-case.ts';

function result(key: string, score: number | null, more: Partial<CaseResult> = {}): CaseResult {
  const passed = score !== null && score >= 0.5;
  return {
    key,
    input: `case ${key}`,
    run: `e-${key}`,
    status: score === null ? 'missing' : 'completed',
    passed,
    score,
    checks: score === null ? [] : [{ check: 'mine', score, passed, reason: passed ? null : 'too low' }],
    output: 'x',
    error: null,
    steps: 1,
    usage: { ...noUsage, totalTokens: 10 },
    ...more,
  };
}
const reported = (id: string, cases: CaseResult[]) => reportOf({ id, eval: 'e', agent: 'a' }, cases, []);

describe('a report', () => {
  test('counts each case once, and what judges used', () => {
    const cases = [
      result('a', 1),
      result('b', 0),
      result('c', 0.5, { status: 'waiting', passed: false }),
      result('d', null),
    ];
    const judges = [{ ...noUsage, totalTokens: 5 }];
    expect(reportOf({ id: 'x', eval: 'e', agent: 'a' }, cases, judges)).toMatchObject({
      total: 4,
      passed: 1,
      failed: 1,
      waiting: 1,
      missing: 1,
      score: 0.5,
      usage: { totalTokens: 45 },
    });
  });

  test('says what changed, and nothing of cases that one of both does not have', () => {
    const before = reported('one', [
      result('fixed', 0),
      result('broken', 1),
      result('better', 0.6),
      result('worse', 0.9),
      result('same', 1),
      result('gone', 1),
      result('unasked', null),
    ]);
    const now = reported('two', [
      result('fixed', 1),
      result('broken', 0),
      result('better', 0.7),
      result('worse', 0.8),
      result('same', 1),
      result('new', 0),
      result('unasked', 1),
    ]);
    const compared = comparedWith(now, before);
    expect(compared.before).toMatchObject({ id: 'one', passed: 5 });
    expect(compared.before?.changes.map(({ key, change }) => [key, change])).toEqual(
      ['fixed', 'broken', 'better', 'worse'].map((change) => [change, change]),
    );
    expect(comparedWith(now, undefined)).toEqual(now);
  });

  test('is a table with the reasons below what failed', () => {
    const before = reported('one', [result('a', 1), result('b', 0)]);
    const report = comparedWith(reported('two', [result('a', 0), result('b', 1), result('c', null)]), before);
    expect(reportLines(report).join('\n')).toMatchInlineSnapshot(`
      "RESULT   SCORE  CHANGE  STEPS  TOKENS  CASE
      failed   0      broken  1      10      case a
        mine: too low
        run e-a
      passed   1      fixed   1      10      case b
      missing  -              1      10      case c
        not asked

      two: 1 of 3 passed, 1 not asked, score 0.5, 30 tokens.
      Before, one: 1 passed, score 0.5; 2 cases changed."
    `);
  });
});

describe('a JUnit file', () => {
  test('has a test for each case, and keeps to what XML can have', () => {
    const bad = result('b', 0, { input: 'a < b & "c"\u{1b}[31m\u{0}\n\u{d800}' });
    const failed = result('c', 0, { status: 'failed', error: 'ModelBadRequest: <no>' });
    expect(junitOf([reported('x', [result('a', 1), bad, failed])])).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
        <testsuite name="e" id="x" tests="3" failures="1" errors="1">
          <testcase classname="e" name="case a"/>
          <testcase classname="e" name="a &lt; b &amp; &quot;c&quot;�[31m�&#10;�">
            <failure message="mine: too low">mine: too low&#10;run e-b</failure>
          </testcase>
          <testcase classname="e" name="case c">
            <error message="ModelBadRequest: &lt;no&gt;">ModelBadRequest: &lt;no&gt;&#10;mine: too low&#10;run e-c</error>
          </testcase>
        </testsuite>
      </testsuites>
      "
    `);
  });
});

describe('the key of a case', () => {
  const lamp = { input: 'What is a lamp?' };
  const [key = ''] = caseKeys([lamp]);

  test('stays when the case moves, and when what is expected changes', () => {
    expect(caseKeys([{ input: 'x' }, { ...lamp, expected: '45' }])[1]).toBe(key);
    expect(caseKeys([{ variables: { a: '1', b: '2' }, ...lamp }])).toEqual(
      caseKeys([{ ...lamp, variables: { b: '2', a: '1' } }]),
    );
  });

  test.each([
    { input: 'What is a chair?' },
    { ...lamp, context: { user: 'Ann' } },
    { ...lamp, variables: { shop: 'x' } },
    { ...lamp, chatHistory: [{ role: 'user' as const, content: 'Hello' }] },
  ])('is another one for %j', (item) => {
    expect(caseKeys([item])).not.toEqual([key]);
  });

  test('tells apart cases that are asked the same', () => {
    expect(caseKeys([lamp, lamp, lamp])).toEqual([key, `${key}-2`, `${key}-3`]);
  });
});

describe('a page', () => {
  const before = reported('one', [result('a', 1), result('b', 0)]);
  const bad = result('a', 0, { input: '<b>case</b>', output: { price: '<i>120</i>' } });
  const page = evalPage([comparedWith(reported('two', [result('b', 1), bad, result('c', null)]), before)]);

  test('has each case with its answer, its change and the reasons, those that failed first', () => {
    const texts = page.slice(page.indexOf('<body>')).replaceAll(/<[^>]+>/gu, '\n');
    const shown = [...texts.matchAll(/\S[^\n]*/gu)].map(([text]) => text.trim());
    const lines = [
      'e | of the agent | a',
      'two: 1 of 3 passed, 1 not asked, score 0.5, 30 tokens.',
      'Before, one: 1 passed, score 0.5; 2 cases changed.',
      'failed | broken | Question | &lt;b&gt;case&lt;/b&gt; | Answer',
      '{ | &quot;price&quot;: &quot;&lt;i&gt;120&lt;/i&gt;&quot; | }',
      '✗ mine: too low | score 0 · 1 step · 10 tokens · run | e-a',
      'missing | Question | case c | Answer | x | ✗ not asked | score - · 1 step · 10 tokens',
      'passed | fixed | Question | case b | Answer | x | ✓ mine | score 1 · 1 step · 10 tokens · run | e-b',
      'Written by | reloop eval --html | .',
    ];
    expect(shown.join(' | ')).toBe(lines.join(' | '));
  });

  test('forbids all that it would load', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toContain('<i>');
  });
});
