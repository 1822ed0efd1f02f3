import { CancelledFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { type BreakerReport, createCircuit, withBreaker } from '../../../../activities/model/breaker.ts';
import { ModelError, type ModelErrorType, defineModel } from '../../../../adapters/models/model.ts';
import { agent, loadedConfig, problemOf } from '../../../support/config.ts';
import { modelRequest } from '../../../support/model-calls.ts';

describe('the circuit of a model', () => {
  function circuitAt() {
    const clock = { ms: 1_000 };
    return { clock, circuit: createCircuit({ failures: 3, probeMs: 100 }, () => clock.ms) };
  }
  const fail = (circuit: ReturnType<typeof circuitAt>['circuit'], times: number) =>
    Array.from({ length: times }, () => circuit.failed());

  test('opens with the last of so many failures in a row, once', () => {
    const { circuit, clock } = circuitAt();
    expect(fail(circuit, 2)).toEqual([false, false]);
    circuit.answered(clock.ms);
    expect(fail(circuit, 5)).toEqual([false, false, true, false, false]);
  });

  test('lets one request through in each interval while it is open', () => {
    const { circuit, clock } = circuitAt();
    fail(circuit, 3);
    expect(circuit.waitMs()).toBe(100);
    clock.ms += 60;
    expect(circuit.waitMs()).toBe(40);
    clock.ms += 40;
    expect([circuit.waitMs(), circuit.waitMs()]).toEqual([0, 100]);
    // A probe that has no end keeps no other one back.
    clock.ms += 100;
    expect([circuit.waitMs(), circuit.waitMs()]).toEqual([0, 100]);
  });

  test('closes with the answer to a probe, and then counts from 0', () => {
    const { circuit, clock } = circuitAt();
    fail(circuit, 3);
    clock.ms += 250;
    expect(circuit.answered(clock.ms)).toBe(250);
    expect([circuit.waitMs(), ...fail(circuit, 3)]).toEqual([0, false, false, true]);
  });

  test('stays open after the answer to a request from before the outage', () => {
    const { circuit, clock } = circuitAt();
    const before = clock.ms - 1;
    fail(circuit, 3);
    expect([circuit.answered(before), circuit.waitMs()]).toEqual([undefined, 100]);
  });
});

/** A model behind a breaker; `end` is the end of its next requests. */
function guarded(probeMs = 60_000) {
  const reports: BreakerReport[] = [];
  const state: { end: ModelErrorType | Error | undefined; requests: string[] } = {
    end: undefined,
    requests: [],
  };
  const model = defineModel({
    modelName: 'kept',
    call({ model: name }) {
      state.requests.push(name);
      const { end } = state;
      if (end === undefined) return Promise.resolve({ text: 'hi', toolCalls: [], finishReason: 'stop' });
      return Promise.reject(end instanceof Error ? end : new ModelError(end, 'No.', { retryable: true }));
    },
  });
  const models = withBreaker(
    new Map([['mine', model]]),
    { failures: 2, probeMs },
    (report) => void reports.push(report),
  );
  const ask = async (name = 'm', signal = new AbortController().signal): Promise<unknown> => {
    const context = { signal, onText: () => undefined, step: '1', runId: 'r' };
    const asked = models.get('mine')?.call({ ...modelRequest(), model: name }, context);
    return asked?.then(({ text }) => text).catch((error: unknown) => error);
  };
  const askTimes = async (times: number, name?: string) => {
    for (let time = 0; time < times; time++) await ask(name);
  };
  return { models, reports, state, ask, askTimes };
}

describe('a model behind a breaker', () => {
  test.each<ModelErrorType>(['ModelServerError', 'ModelConnectionError', 'ModelTimeout', 'ModelStreamCut'])(
    'is left alone after two %s in a row, as if each call failed by it',
    async (type) => {
      const { state, ask, askTimes, reports } = guarded();
      state.end = type;
      await askTimes(5);
      expect(state.requests).toHaveLength(2);
      expect(reports).toMatchObject([{ adapter: 'mine', model: 'm', isOpen: true }]);
      expect(await ask()).toMatchObject({ type, retryable: true, heldBack: true });
    },
  );

  test.each<ModelErrorType | 'cancelled'>([
    'ModelRateLimited',
    'ModelBadRequest',
    'ModelAuthenticationError',
    'cancelled',
  ])('is asked again after %s', async (type) => {
    const { state, askTimes, reports } = guarded();
    state.end = type === 'cancelled' ? new CancelledFailure('cancelled') : type;
    await askTimes(4);
    expect([state.requests.length, reports]).toEqual([4, []]);
  });

  test('comes again between one and two intervals later', async () => {
    const { state, ask, askTimes } = guarded();
    state.end = 'ModelServerError';
    await askTimes(2);
    const { retryAfterMs } = (await ask()) as ModelError; // as asserted above
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(120_000);
  });

  test('of another name is asked as before', async () => {
    const { state, askTimes } = guarded();
    state.end = 'ModelServerError';
    await askTimes(3, 'm');
    await askTimes(1, 'n');
    expect(state.requests).toEqual(['m', 'm', 'n']);
  });

  test('that ignores its signal has failed when its time is over', async () => {
    const deaf = defineModel({ call: () => new Promise(() => undefined) });
    const reports: BreakerReport[] = [];
    const models = withBreaker(
      new Map([['deaf', deaf]]),
      { failures: 1, probeMs: 1000 },
      (one) => void reports.push(one),
    );
    const silence = AbortSignal.abort(new ModelError('ModelTimeout', 'Nothing.', { retryable: true }));
    const context = { signal: silence, onText: () => undefined, step: '1', runId: 'r' };
    await expect(models.get('deaf')?.call(modelRequest(), context)).rejects.toMatchObject({
      type: 'ModelTimeout',
    });
    expect(reports).toMatchObject([{ isOpen: true }]);
  });

  test('is reported when its outage begins and when it is over, and keeps its other fields', async () => {
    const { state, ask, askTimes, reports, models } = guarded(1);
    state.end = 'ModelServerError';
    await askTimes(2);
    state.end = undefined;
    await expect.poll(() => ask()).toBe('hi');
    expect(reports.map(({ isOpen }) => isOpen)).toEqual([true, false]);
    expect(reports[0]?.text).toBe(
      'The model "m" has an outage: 2 requests in a row failed, the last one by ModelServerError: No. This worker asks it once every 0.001 s until it answers.',
    );
    expect(models.get('mine')?.modelName).toBe('kept');
  });
});

describe('the option breaker', () => {
  const config = (breaker: unknown) => ({ agents: [agent()], breaker });

  test.each<[breaker: unknown, settings: object | undefined]>([
    [undefined, undefined],
    [false, undefined],
    [true, { failures: 5, probeMs: 10_000 }],
    [
      { failures: 3, probeEvery: '1m' },
      { failures: 3, probeMs: 60_000 },
    ],
  ])('%j is %j, and runs that begin with it keep it', (breaker, settings) => {
    const loaded = loadedConfig(config(breaker));
    expect(loaded.breaker).toEqual(settings);
    expect(loaded.manifest('a', {})?.holdsBack).toBe(settings === undefined ? undefined : true);
  });

  test.each<[problem: RegExp, breaker: unknown]>([
    [/breaker: is neither true nor \{ failures, probeEvery \}/u, 5],
    [/breaker.*failures/u, { failures: 0 }],
    [/breaker.*unknown option after \(known: failures, probeEvery\)/u, { after: 5 }],
    [/breaker\.probeEvery: 0 leaves no time at all/u, { probeEvery: 0 }],
    [/breaker\.probeEvery is longer than 5 minutes/u, { probeEvery: '6m' }],
  ])('is refused by %s where it is %j', (problem, breaker) => {
    expect(problemOf(config(breaker))).toMatch(problem);
  });
});
