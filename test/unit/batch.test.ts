import { describe, expect, test } from 'vitest';
import type { StartOptions } from '../../client/start-options.ts';
import type { RunResultWithSteps } from '../../client/agent-run.ts';
import { type BatchInput, type BatchOptions, runBatch } from '../../client/batch.ts';
import { InvalidInput } from '../../client/errors.ts';

interface Asked {
  input: string;
  options: StartOptions;
}

/** A client that answers `re: INPUT` when the test lets it, fails for "bad", and counts what is under way. */
function fakeClient() {
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  let open = 0;
  let most = 0;
  return {
    asked,
    mostOpen: () => most,
    finish: (index: number) => waiting[index]?.(),
    async run(_agent: string, input: string, options: StartOptions): Promise<RunResultWithSteps> {
      asked.push({ input, options });
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => waiting.push(resolve));
      open--;
      if (input === 'bad') throw new Error('the run failed');
      return {
        output: `re: ${input}`,
        intermediateSteps: [],
        stopReason: 'final_answer',
        iterations: 1,
        usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, modelCalls: 1 },
      };
    },
  };
}

/** A batch whose runs end as they come, the later of those under way first. */
async function batch(inputs: BatchInput[], options?: BatchOptions) {
  const client = fakeClient();
  const results = runBatch(client, 'a', inputs, options);
  for (let ended = 0; ended < client.asked.length; await new Promise((resolve) => setImmediate(resolve))) {
    const { length } = client.asked;
    for (let index = length - 1; index >= ended; index--) client.finish(index);
    ended = length;
  }
  const outputs = (await results).map((result) =>
    result.status === 'fulfilled' ? result.value.output : String(result.reason),
  );
  return { outputs, asked: client.asked, mostOpen: client.mostOpen() };
}

describe('a batch', () => {
  test('has its results in the order of the inputs, in whatever order the runs end', async () => {
    const { outputs } = await batch(['one', 'two', 'three'], { concurrency: 3 });
    expect(outputs).toEqual(['re: one', 're: two', 're: three']);
  });

  test.each([
    { concurrency: undefined, inputs: 9, most: 4 },
    { concurrency: 1, inputs: 3, most: 1 },
    { concurrency: 2, inputs: 5, most: 2 },
    { concurrency: 8, inputs: 2, most: 2 },
  ])('of $inputs runs at concurrency $concurrency has $most under way', async ({ concurrency, ...given }) => {
    const inputs = Array.from({ length: given.inputs }, (_, index) => `q${index}`);
    const { outputs, mostOpen } = await batch(inputs, concurrency === undefined ? {} : { concurrency });
    expect(mostOpen).toBe(given.most);
    expect(outputs).toEqual(inputs.map((input) => `re: ${input}`));
  });

  test('goes on after a run that failed, which is a rejection in its place', async () => {
    const { outputs } = await batch(['one', 'bad', 'three'], { concurrency: 1 });
    expect(outputs).toEqual(['re: one', 'Error: the run failed', 're: three']);
  });

  test('of nothing has no results and starts nothing', async () => {
    expect(await batch([])).toEqual({ outputs: [], asked: [], mostOpen: 0 });
  });

  test('numbers its runs from 1 after its own id', async () => {
    const { asked } = await batch(['one', 'two'], { id: 'nightly' });
    expect(asked.map(({ options }) => options.id)).toEqual(['nightly-1', 'nightly-2']);
  });

  test('hands its start options to every run; those of an input win', async () => {
    const own = { input: 'two', id: 'mine', maxIterations: 1 };
    const { asked } = await batch(['one', own], { id: 'b', model: 'm', maxIterations: 7, concurrency: 1 });
    expect(asked).toEqual([
      { input: 'one', options: { id: 'b-1', model: 'm', maxIterations: 7 } },
      { input: 'two', options: { id: 'mine', model: 'm', maxIterations: 1 } },
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN])(
    'refuses a concurrency of %s and starts nothing',
    async (concurrency) => {
      const client = fakeClient();
      await expect(runBatch(client, 'a', ['one'], { concurrency })).rejects.toThrow(InvalidInput);
      expect(client.asked).toEqual([]);
    },
  );
});
