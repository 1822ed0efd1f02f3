import { describe, expect, test } from 'vitest';
import type { ExportedModelCall, RunExport } from '../../client/run-export.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { recordedRun } from '../../testing.ts';
import { defineTool } from '../../tools/tool.ts';
import {
  acts,
  configOf,
  differencesOf,
  direct,
  exported,
  neverRun,
  observed,
  replied,
  search,
  whole,
} from '../support/exported-run.ts';
import { act, answer } from '../support/scripts.ts';

/** How recorded runs end under the limits and tools of today. */

describe('the limits of today', () => {
  const stopped = exported(whole.modelCalls.slice(0, 2), whole.run.intermediateSteps, {
    status: 'stopped',
    stopReason: 'max_iterations',
  });

  test.each<[string, RunExport, Partial<AgentDefinition>, string | undefined]>([
    ['end a run earlier', whole, { maxIterations: 2 }, 'stops: max_iterations'],
    ['end a run where it ended', stopped, { maxIterations: 2 }, undefined],
    ['let a run go on that was stopped', stopped, { maxIterations: 3 }, 'asks the model'],
    [
      'ask for the answer of a run that was stopped without',
      stopped,
      { maxIterations: 2, earlyStopping: 'generate' },
      'asks for the answer at the limit',
    ],
  ])('%s', async (_, record, fields, after) => {
    const differences = await differencesOf(record, fields);
    expect(differences.map((difference) => difference.after)).toEqual(after === undefined ? [] : [after]);
  });

  test('tell a model that goes round in circles', async () => {
    const calls = ['1', '2'].map((call) => replied(call, act('search', 'x'), acts('search', 'x')));
    const steps = [observed('1.1', 'search', 'x', 'found'), observed('2.1', 'search', 'x', 'found')];
    const [only] = await differencesOf(exported(calls, steps), { repeatLimit: 2 });
    expect(only).toMatchObject({ step: '2', before: 'search "x"' });
    expect(only?.after).toContain('search "x"\n  the model is told: ');
  });

  test('may be those that the run was started with', async () => {
    const options = { config: configOf({ maxIterations: 2 }), maxIterations: 3 };
    expect((await recordedRun(whole, options)).ok).toBe(true);
  });

  test('do not count the answer that was asked for at a limit', async () => {
    const closing: ExportedModelCall = {
      ...replied('3', answer('as far as I know'), { type: 'finish', output: 'as far as I know' }),
      closing: true,
    };
    const asked = { ...stopped, modelCalls: [...stopped.modelCalls, closing] };
    expect(await differencesOf(asked, { maxIterations: 2, earlyStopping: 'generate' })).toEqual([]);
    expect(await differencesOf(asked, { maxIterations: 2 })).toMatchObject([
      { before: 'asks for the answer at the limit', after: 'stops: max_iterations' },
    ]);
    expect(await differencesOf(asked, { maxIterations: 9, earlyStopping: 'generate' })).toMatchObject([
      { before: 'asks for the answer at the limit', after: 'asks the model' },
    ]);
  });
});

describe('a tool with returnDirect', () => {
  const one = exported(
    [replied('1', act('direct', 'x'), acts('direct', 'x'))],
    [observed('1.1', 'direct', 'x', 'at once')],
    { stopReason: 'return_direct', output: 'at once' },
  );
  const returning = defineTool({ name: 'direct', description: 'd', returnDirect: true, run: neverRun });

  test('ends the run where it ended it', async () => {
    expect(await differencesOf(one, { tools: [search, returning] })).toEqual([]);
  });

  test('is missed where it has ceased to be one', async () => {
    expect(await differencesOf(one)).toEqual([
      { step: '1', what: 'answer', before: 'the answer "at once"', after: 'asks the model' },
    ]);
  });

  test('ends a run that went on', async () => {
    const searching = defineTool({ ...search, name: 'search', returnDirect: true, run: neverRun });
    const [first] = await differencesOf(whole, { tools: [searching, direct] });
    expect(first).toMatchObject({ step: '2', before: 'search "y"', after: 'the answer "found x"' });
  });
});
