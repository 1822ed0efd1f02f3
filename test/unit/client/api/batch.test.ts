import { describe, expect, test } from 'vitest';
import {
  type BatchInput,
  type BatchOptions,
  type BatchProgress,
  runBatch,
} from '../../../../client/api/batch.ts';
import type { AgentRun, ResultOptions } from '../../../../client/api/agent-run.ts';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import type { Input } from '../../../../client/start/read-input.ts';
import { InvalidInput } from '../../../../client/connect/errors.ts';
import type { RunResultWithSteps } from '../../../../client/report.ts';
import type { StartOptions } from '../../../../client/start/start-options.ts';
import { contentText } from '../../../../agent/values/content.ts';

interface Asked {
  input: string;
  options: StartOptions;
}

/** A client that answers `re: INPUT` when the test lets it, fails for "bad", waits for a person at "asks", and counts what is under way. */
function fakeClient() {
  const asked: Asked[] = [];
  const ends: (() => void)[] = [];
  const decided = new Set<string>();
  let open = 0;
  let most = 0;
  const waiting: WaitingCall = { ...aWait, call: '1.1' };

  async function begin(_agent: string, input: Input, options: StartOptions) {
    asked.push({ input: contentText(input as string), options });
    if (input === 'impossible') throw new InvalidInput('cannot be started');
    most = Math.max(most, ++open);
    const end = new Promise<void>((resolve) => ends.push(resolve));
    const asks = input === 'asks';
    return {
      async result({ onWaiting, signal }: ResultOptions): Promise<RunResultWithSteps> {
        if (asks) {
          if (onWaiting !== undefined) open--;
          await onWaiting?.(waiting, {} as AgentRun); // the batch hands it on
          if (onWaiting === undefined && !decided.has(options.id ?? '')) await aborted(signal);
        }
        await Promise.race([end, aborted(signal)]);
        open--;
        if (input === 'bad') throw new Error('the run failed');
        const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 10, modelCalls: 1, cost: 0.5 };
        const ended = { stopReason: 'final_answer', iterations: 1, usage } as const;
        return { output: `re: ${contentText(input as string)}`, intermediateSteps: [], ...ended };
      },
      async untilHalted(signal: AbortSignal): Promise<WaitingCall[]> {
        if (!asks || decided.has(options.id ?? '')) await aborted(signal);
        open--;
        return [waiting];
      },
    };
  }

  return {
    asked,
    mostOpen: () => most,
    finish: (index: number) => ends[index]?.(),
    /** A person decides: the run continues. */
    decide: (id: string) => decided.add(id),
    begin,
  };
}

const aWait: WaitingCall = {
  call: '1.1',
  tool: 'refund',
  toolInput: {},
  reason: 'approval',
  n: 0,
  at: 0,
} as unknown as WaitingCall; // as far as a batch reads it

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason);
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** A batch whose runs end as they come, the later of those under way first. */
async function batch(inputs: BatchInput[], options?: BatchOptions, client = fakeClient()) {
  const results = runBatch(client, 'a', inputs, options);
  for (let ended = 0; ended < client.asked.length; await new Promise((resolve) => setImmediate(resolve))) {
    const { length } = client.asked;
    for (let index = length - 1; index >= ended; index--) client.finish(index);
    ended = length;
  }
  const outputs = (await results).map((result) =>
    result.status === 'fulfilled'
      ? result.value.output
      : result.status === 'waiting'
        ? `waiting: ${result.waiting.map(({ call }) => call).join()}`
        : String(result.reason),
  );
  return { outputs, asked: client.asked, mostOpen: client.mostOpen() };
}

describe('a batch', () => {
  test('has its results in the order of the inputs, in whatever order the runs end', async () => {
    const { outputs } = await batch(['one', 'two', 'three'], { concurrency: 3 });
    expect(outputs).toEqual(['re: one', 're: two', 're: three']);
  });

  test('has no warning of a leak with many runs at a time', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error) => void warnings.push(name);
    process.on('warning', warn);
    const inputs = Array.from({ length: 40 }, (_, index) => `q${index}`);
    const { outputs } = await batch(inputs, { concurrency: 40 }).finally(() => process.off('warning', warn));
    expect([outputs.length, warnings]).toEqual([40, []]);
  });

  test.each([
    [9, undefined, 4],
    [3, 1, 1],
    [5, 2, 2],
    [2, 8, 2],
  ])('with %i runs at concurrency %s has %i under way', async (length, concurrency, most) => {
    const inputs = Array.from({ length }, (_, index) => `q${index}`);
    const { outputs, mostOpen } = await batch(inputs, concurrency === undefined ? {} : { concurrency });
    expect(mostOpen).toBe(most);
    expect(outputs).toEqual(inputs.map((input) => `re: ${input}`));
  });

  test('goes on after a run that failed, which is a rejection in its place', async () => {
    const { outputs } = await batch(['one', 'bad', 'three'], { concurrency: 1 });
    expect(outputs).toEqual(['re: one', 'Error: the run failed', 're: three']);
  });

  test('gives the place of a run that waits to the next, and says in its result that it waits', async () => {
    const { outputs, asked } = await batch(['asks', 'asks', 'two', 'three'], { concurrency: 1 });
    expect(asked).toHaveLength(4);
    expect(outputs).toEqual(['waiting: 1.1', 'waiting: 1.1', 're: two', 're: three']);
  });

  test('has the answer of a run on which a person decided before the batch was over', async () => {
    const client = fakeClient();
    const onProgress = ({ done }: BatchProgress) => void (done === 1 && client.decide('b-1'));
    const { outputs } = await batch(['asks', 'two'], { concurrency: 1, id: 'b', onProgress }, client);
    expect(outputs).toEqual(['re: asks', 're: two']);
  });

  test('waits for the runs that wait, where it is told of each wait', async () => {
    const told: string[] = [];
    const onWaiting = ({ call }: WaitingCall) => void told.push(call);
    const { outputs } = await batch(['asks', 'two'], { concurrency: 1, onWaiting });
    expect(told).toEqual(['1.1']);
    expect(outputs).toEqual(['re: asks', 're: two']);
    expect((await batch(['asks', 'two'], { concurrency: 1, onWaiting: 'wait' })).outputs).toEqual(outputs);
  });

  test('reports its progress: each run counts once, and what those that ended used is summed', async () => {
    const seen: BatchProgress[] = [];
    await batch(['one', 'bad', 'asks', 'impossible'], {
      concurrency: 2,
      onProgress: (progress) => void seen.push(progress),
    });
    for (const { total, running, waiting, done, failed } of seen) {
      expect(running).toBeLessThanOrEqual(2);
      expect(running + waiting + done + failed).toBeLessThanOrEqual(total);
    }
    expect(seen.at(-1)).toMatchObject({ total: 4, running: 0, waiting: 1, done: 1, failed: 2 });
    expect(seen.at(-1)?.usage).toMatchObject({ totalTokens: 10, cost: 0.5 });
  });

  test('that is aborted starts no more runs, and rejects the results that are missing with the reason', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const onProgress = ({ done }: BatchProgress) =>
      void (done === 1 && controller.abort(new Error('enough')));
    const { outputs, asked } = await batch(['one', 'two', 'three'], { concurrency: 1, signal, onProgress });
    expect(outputs).toEqual(['re: one', 'Error: enough', 'Error: enough']);
    expect(asked).toHaveLength(1);
  });

  test('ends with the error of its listener', async () => {
    const onProgress = () => {
      throw new Error('the listener is broken');
    };
    await expect(batch(['one', 'two'], { onProgress })).rejects.toThrow('the listener is broken');
  });

  test('without inputs has no results and starts nothing', async () => {
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
