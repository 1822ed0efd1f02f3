import { describe, expect, test } from 'vitest';
import { z } from 'zod/v4';
import { asText, noUsage } from '../../../../../agent/values/vocabulary.ts';
import type { RunStep } from '../../../../../agent/run/events.ts';
import {
  called,
  check,
  contains,
  costUnder,
  exact,
  judge,
  matches,
  noEffect,
  stepsUnder,
} from '../../../../../features/evals/rules/case-checks.ts';
import type {
  Check,
  EvalCase,
  EvalRun,
  Verdict,
} from '../../../../../features/evals/rules/eval-definition.ts';
import { judgeQuestion, verdictOf } from '../../../../../features/evals/rules/judge.ts';
import { scoreCase } from '../../../../../features/evals/rules/score-case.ts';

const step = (tool: string, toolInput: RunStep['action']['toolInput'], attempts = 1): RunStep => ({
  call: '1.1',
  action: { tool, toolInput, log: '' },
  observation: 'seen',
  attempts,
  durationMs: 1,
});

const run: EvalRun = {
  id: 'r',
  status: 'completed',
  output: 'A lamp costs 45 euros.',
  error: null,
  intermediateSteps: [
    step('price', { product: 'lamp', shop: { town: 'Bonn', open: true } }),
    step('search', '{"text":"lamp","most":3}'),
    step('refund', { euros: 9 }, 0),
  ],
  waiting: [{ call: '3.1', n: 0, tool: 'pay', toolInput: { to: 'Ann' }, reason: 'approval' }],
  iterations: 3,
  usage: { ...noUsage, cost: 0.02 },
};
const item: EvalCase = { input: 'What is a lamp?', expected: '45' };

const scored = async (one: Check, of: EvalRun = run, its: EvalCase = item) => {
  const { checks } = await scoreCase({ ...its, key: 'k' }, of.id, of, [one], new Map<string, Verdict>());
  return checks[0];
};

describe('a check', () => {
  test.each<[Check, boolean]>([
    [exact('A lamp costs 45 euros.'), true],
    [exact(' A lamp costs 45 euros.\n'), true],
    [exact(), false],
    [contains(), true],
    [contains('LAMP'), true],
    [contains('chair'), false],
    [matches(z.string().min(5)), true],
    [matches(z.object({ euros: z.number() })), false],
    [called('price'), true],
    [called('price', { product: 'lamp' }), true],
    [called('price', { shop: { town: 'Bonn' } }), true],
    [called('price', { product: 'chair' }), false],
    [called('price', { product: 'lamp', colour: null }), false],
    [called('search', { text: 'lamp' }), true],
    [called('pay', { to: 'Ann' }), true],
    [called('toString'), false],
    [noEffect('price'), false],
    [noEffect('refund'), true],
    [noEffect('pay'), true],
    [noEffect('never'), true],
    [costUnder(0.03), true],
    [costUnder(0.02), false],
    [stepsUnder(4), true],
    [stepsUnder(3), false],
    [check('half', () => 0.5), false],
    [check('half', () => 0.5, { atLeast: 0.5 }), true],
    [check('of the case', ({ output }, { input }) => asText(output).length > input.length), true],
  ])('%o is %s', async (one, passed) => {
    expect(await scored(one)).toMatchObject({ check: one.name, passed });
  });

  test('says why it fails', async () => {
    const reasons = [
      exact(),
      contains('chair'),
      called('price', { product: 'chair' }),
      called('none'),
      noEffect('price'),
    ];
    expect(await Promise.all(reasons.map(async (one) => (await scored(one))?.reason))).toMatchInlineSnapshot(`
      [
        "the answer is "A lamp costs 45 euros.", not "45"",
        "the answer is "A lamp costs 45 euros.", without "chair"",
        "price was called with {"product":"lamp","shop":{"town":"Bonn","open":true}}",
        "none was not called",
        "price ran in call 1.1",
      ]
    `);
  });

  test('finds JSON in the text of an answer', async () => {
    const answer = { ...run, output: '{"euros":45}' };
    expect(await scored(matches(z.object({ euros: z.number() })), answer)).toMatchObject({ passed: true });
    expect(await scored(exact({ euros: 45 }), { ...run, output: { euros: 45 } })).toMatchObject({
      passed: true,
    });
  });

  test('fails without what it compares with: the case has no expected answer, the model no price', async () => {
    const { expected: _, ...bare } = item;
    for (const one of [exact(), contains()])
      expect(await scored(one, run, bare)).toMatchObject({ passed: false });
    const unpriced = { ...run, usage: noUsage };
    expect(await scored(costUnder(9), unpriced)).toMatchObject({
      passed: false,
      reason: expect.stringContaining('no price'),
    });
  });

  test.each([
    [() => Promise.reject(new Error('no network')), 'the check failed: no network'],
    [() => 2, 'the check returned no score from 0 to 1: 2'],
    [() => NaN, 'the check returned no score from 0 to 1: NaN'],
    [() => undefined as unknown as boolean, 'the check returned no score from 0 to 1: NaN'],
  ])('of a user that goes wrong scores 0: %s', async (score, reason) => {
    expect(await scored(check('mine', score))).toEqual({ check: 'mine', score: 0, passed: false, reason });
  });
});

describe('a case', () => {
  const statuses = ['failed', 'stopped', 'cancelled', 'waiting', 'running'] as const;
  test.each(statuses)('does not pass with a run that is %s, whatever the checks say', async (status) => {
    const result = await scoreCase(
      { ...item, key: 'k' },
      'r',
      { ...run, status },
      [called('price')],
      new Map(),
    );
    expect(result).toMatchObject({ passed: false, status, score: 1 });
  });

  test('that was not asked has no score', async () => {
    expect(await scoreCase({ ...item, key: 'k' }, 'r', undefined, [exact()], new Map())).toMatchObject({
      status: 'missing',
      passed: false,
      score: null,
      checks: [],
    });
  });
});

describe('a judge', () => {
  const one = judge('critic', { rubric: 'The price is right.', atLeast: 0.7 });

  test('is shown the rubric, the question, the right answer and the answer', () => {
    expect(judgeQuestion(one, item, run)).toBe(
      '# Rubric\n\nThe price is right.\n\n# Question\n\nWhat is a lamp?\n\n# Right answer\n\n45\n\n# Answer to score\n\nA lamp costs 45 euros.',
    );
  });

  test.each<[Partial<EvalRun>, Verdict | undefined]>([
    [{ output: { score: 0.8, reason: 'Right.' } }, { score: 0.8, reason: 'Right.' }],
    [{ output: 'fine' }, { score: 0, reason: 'the judge gave no score: it answered fine' }],
    [
      { status: 'failed', output: null, error: { type: 'ModelBadRequest', message: 'no' } },
      { score: 0, reason: 'the judge gave no score: ModelBadRequest: no' },
    ],
    [{ status: 'running', output: null }, undefined],
  ])('with a run %j comes to %j', (more, verdict) => {
    expect(verdictOf({ ...run, ...more })).toEqual(verdict);
  });

  test('passes a case from its score on, and leaves one open that it was not asked about', async () => {
    const judged = (verdicts: [string, Verdict][]) =>
      scoreCase({ ...item, key: 'k' }, 'r', run, [one], new Map(verdicts));
    expect(await judged([['critic', { score: 0.7 }]])).toMatchObject({ passed: true, score: 0.7 });
    expect(await judged([['critic', { score: 0.69 }]])).toMatchObject({ passed: false, score: 0.69 });
    expect(await judged([])).toMatchObject({ passed: false, score: null });
  });
});
