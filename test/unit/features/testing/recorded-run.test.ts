import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunMessage, TimelessEvent } from '../../../../agent/run/events.ts';
import type { ExportedModelCall, RunExport } from '../../../../client/export/run-export.ts';
import type { AgentDefinition, ConfigDefinition } from '../../../../config/define.ts';
import { recordedRun } from '../../../../features/testing/index.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';
import {
  acts,
  configOf,
  differencesOf,
  direct,
  exported,
  neverRun,
  observed,
  params,
  replied,
  search,
  whole,
} from '../../../support/exported-run.ts';
import { atSeconds } from '../../../support/run-events.ts';
import { act, answer } from '../../../support/scripts.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const folder = tempFolder();

describe('a recorded run', () => {
  test('holds where the agent reads the same replies in the same way', async () => {
    const result = await recordedRun(whole, { config: configOf() });
    expect(result).toEqual({ ok: true, steps: 3, differences: [] });
  });

  test('is read from a file', async () => {
    const file = join(folder, 'run.json');
    writeFileSync(file, JSON.stringify(whole));
    expect((await recordedRun(file, { config: configOf() })).ok).toBe(true);
  });

  test('throws what a test runner shows as a diff', async () => {
    const parser = () => ({ type: 'finish', output: 'at once', log: '' }) as const;
    const running = recordedRun(whole, { config: configOf({ parser }) });
    const thrown: unknown = await running.catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      name: 'RecordedRunChanged',
      expected: { 'step 1, decision': 'search "x"' },
      actual: { 'step 1, decision': 'the answer "at once"' },
      showDiff: true,
    });
    expect(String(thrown)).toBe(
      'RecordedRunChanged: Run "run-1" goes another way than it did, from step 1 on: decision\n' +
        '  before: search "x"\n  after:  the answer "at once"',
    );
  });

  test('goes on up to the first decision that differs', async () => {
    const parser = ({ text }: { text: string }) =>
      text.includes('Input: x')
        ? { type: 'act' as const, actions: [{ tool: 'search', toolInput: 'x', log: text }] }
        : { type: 'finish' as const, output: 'early', log: text };
    expect(await differencesOf(whole, { parser })).toEqual([
      { step: '2', what: 'decision', before: 'search "y"', after: 'the answer "early"' },
    ]);
  });

  test('says what the model is told where a tool is not there any more', async () => {
    const [first] = await differencesOf(whole, { tools: [direct] });
    expect(first).toMatchObject({ step: '1', what: 'decision', before: 'search "x"' });
    expect(first?.after).toContain('search is not a valid tool, try one of [direct].');
  });

  test('tells another answer from another decision', async () => {
    const other = exported([replied('1', answer('done'), { type: 'finish', output: 'was' })], []);
    expect(await differencesOf(other)).toEqual([
      { step: '1', what: 'answer', before: 'the answer "was"', after: 'the answer "done"' },
    ]);
  });

  test('takes a person’s input and result as they were', async () => {
    const { modelCalls } = whole;
    const steps = [observed('1.1', 'search', 'better', 'by hand'), observed('2.1', 'search', 'y', 'found y')];
    expect(await differencesOf(exported(modelCalls, steps))).toEqual([]);
  });

  test('ends where the run ended in the middle of a turn', async () => {
    const ended = { status: 'failed', stopReason: 'error' } as const;
    const cut = exported(whole.modelCalls.slice(0, 2), whole.run.intermediateSteps.slice(0, 1), ended);
    expect(await recordedRun(cut, { config: configOf() })).toMatchObject({ ok: true, steps: 2 });
  });
});

describe('a message that a person sent to a run', () => {
  const steered = (message: RunMessage): TimelessEvent => ({ type: 'steered', message });
  const asks = (call: string): TimelessEvent => ({ type: 'model_started', call });
  const events = atSeconds(
    asks('1'),
    steered({ type: 'say', text: 'Look at y, too.' }),
    asks('2'),
    steered({ type: 'say', text: 'In German.' }),
    asks('3'),
  );
  const calls = [
    replied('1', act('search', 'x'), acts('search', 'x')),
    replied('2', answer('early'), { type: 'finish', output: 'early' }),
    replied('3', answer('done'), { type: 'finish', output: 'done' }),
  ];
  const record = exported(calls, [observed('1.1', 'search', 'x', 'found x')], {}, { events });

  test('is said again where the model heard of it', async () => {
    expect(await differencesOf(record)).toEqual([]);
    const request = { model: 'm', prompt: { type: 'text', text: '' } as const, stop: [], params };
    const requests = ['2', '3'].map((call) => ({ call, n: 0, exact: true, request }));
    const [second, third] = await differencesOf({ ...record, requests });
    expect(second?.after).toContain('Look at y, too.');
    expect(second?.after).not.toContain('In German.');
    expect(third?.after).toMatch(/Look at y, too\.[^]*early[^]*In German\./u);
  });

  test('raises the limits of today as it did those of then', async () => {
    expect(await differencesOf(record, { maxIterations: 2 })).toMatchObject([
      { step: '3', after: 'stops: max_iterations' },
    ]);
    const extended = [...atSeconds(steered({ type: 'extend', iterations: 1 })), ...events];
    expect(await differencesOf({ ...record, events: extended }, { maxIterations: 2 })).toEqual([]);
  });
});

describe('a request to the model', () => {
  const prompt = { type: 'text', text: 'other words' } as const;
  const nothingAsked = { model: 'm', prompt, stop: [], params };

  test('is compared where the run was exported with its prompts, and the run is gone on with', async () => {
    const record = { ...whole, requests: [{ call: '2', n: 0, exact: true, request: nothingAsked }] };
    const [only, ...others] = await differencesOf(record);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ step: '2', what: 'request', before: 'other words\n\nstop: []' });
    expect(only?.after).toContain('Observation: found x');
  });

  test('is not compared with what this version cannot rebuild', async () => {
    const record = { ...whole, requests: [{ call: '2', n: 0, exact: false, request: nothingAsked }] };
    expect(await differencesOf(record)).toEqual([]);
  });
});

describe('a recorded run cannot be gone through', () => {
  test.each<[string, RunExport, ConfigDefinition]>([
    ['with a config that lacks its agent', whole, { agents: [{ name: 'other', model: 'm' }] }],
    ['with no question', { ...whole, agents: [{ scope: 0, manifest: null, question: null }] }, configOf()],
  ])('%s', async (_, record, config) => {
    await expect(recordedRun(record, { config })).rejects.toMatchObject({ name: 'InvalidInput' });
  });

  test('out of a file that is no export', async () => {
    const file = join(folder, 'other.json');
    writeFileSync(file, '{}');
    await expect(recordedRun(file, { config: configOf() })).rejects.toMatchObject({ name: 'InvalidInput' });
  });

  test('but another agent may stand in for its own', async () => {
    const agent = { name: 'other', kind: 'zero-shot', model: 'm', tools: [search, direct] } as const;
    const config = { agents: [agent] };
    expect((await recordedRun(whole, { config, agent: 'other' })).ok).toBe(true);
  });
});

/** How recorded runs end under the limits and tools of today. */

describe('the limits of today', () => {
  const ended = { status: 'stopped', stopReason: 'max_iterations' } as const;
  const stopped = exported(whole.modelCalls.slice(0, 2), whole.run.intermediateSteps, ended);
  const generate = { maxIterations: 2, earlyStopping: 'generate' } as const;

  test.each<[string, RunExport, Partial<AgentDefinition>, string | undefined]>([
    ['end a run earlier', whole, { maxIterations: 2 }, 'stops: max_iterations'],
    ['end a run where it ended', stopped, { maxIterations: 2 }, undefined],
    ['let a run go on that was stopped', stopped, { maxIterations: 3 }, 'asks the model'],
    ['ask for the answer at a limit', stopped, generate, 'asks for the answer at the limit'],
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
    const reply = replied('3', answer('as far as I know'), { type: 'finish', output: 'as far as I know' });
    const closing: ExportedModelCall = { ...reply, closing: true };
    const asked = { ...stopped, modelCalls: [...stopped.modelCalls, closing] };
    const before = 'asks for the answer at the limit';
    expect(await differencesOf(asked, generate)).toEqual([]);
    expect(await differencesOf(asked, { maxIterations: 2 })).toMatchObject([
      { before, after: 'stops: max_iterations' },
    ]);
    const more = await differencesOf(asked, { ...generate, maxIterations: 9 });
    expect(more).toMatchObject([{ before, after: 'asks the model' }]);
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
