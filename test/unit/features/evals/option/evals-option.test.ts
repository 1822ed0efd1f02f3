import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod/v4';
import { checkConfig } from '../../../../../config/check.ts';
import { type ConfigDefinition, defineAgent } from '../../../../../config/define.ts';
import { createLoadedConfig } from '../../../../../config/load/loaded-config.ts';
import { judgeAgent } from '../../../../../features/evals/option/judge-agent.ts';
import { contains, exact, judge } from '../../../../../features/evals/rules/case-checks.ts';

const agents = [defineAgent({ name: 'clerk', model: 'm' }), judgeAgent({ model: 'm' })];
const load = (evals: unknown, more: Partial<ConfigDefinition> = {}) =>
  createLoadedConfig(checkConfig({ agents, ...more, evals }, 'the config'));
const good = { agent: 'clerk', cases: [{ input: 'x' }], checks: [exact('y')] };

describe('evals in a config', () => {
  test.each<[unknown, string]>([
    [{ e: { ...good, agent: 'nobody' } }, 'Eval "e": there is no agent "nobody"'],
    [{ e: { ...good, checks: [judge('critic', { rubric: 'x' })] } }, 'Eval "e": there is no agent "critic"'],
    [{ e: { ...good, checks: [] } }, 'Eval "e": a case has no check'],
    [{ e: { ...good, checks: [exact('a'), exact('b')] } }, 'two checks of a case are called "exact"'],
    [
      { e: { ...good, cases: [{ input: 'x', checks: [exact('b')] }] } },
      'two checks of a case are called "exact"',
    ],
    [{ e: { ...good, checks: [() => true] } }, 'is not a check'],
    [{ e: { ...good, cases: [] } }, 'cases'],
    [
      { e: { ...good, cases: [{ input: 'x', expect: 'y' }] } },
      'unknown option expect (did you mean expected?)',
    ],
    [{ e: { ...good, cases: 3 } }, 'is neither a list of cases nor the name of a file'],
    [{ 'a b': good }, 'Eval "a b": its name has to be'],
  ])('%j are refused: %s', (evals, problem) => {
    expect(() => load(evals)).toThrow(problem);
  });

  test('have the contexts that the agent and its judges take', () => {
    const context = z.object({ user: z.string() });
    const checks = [contains('y'), judge('judge', { rubric: 'x' })];
    const of = (user: unknown) => ({ e: { ...good, checks, cases: [{ input: 'x', context: { user } }] } });
    expect(() => load(of('Ann'), { context })).not.toThrow();
    expect(() => load(of(3), { context })).toThrow('Eval "e": the context does not fit');
    expect(() => load({ e: good }, { context })).toThrow('Eval "e": the context is missing');
  });

  test('name files as the project sees them', () => {
    expect(load({ e: { ...good, cases: 'cases.jsonl' } }).evals['e']?.cases).toBe(resolve('cases.jsonl'));
    expect(load(undefined).evals).toEqual({});
  });
});
