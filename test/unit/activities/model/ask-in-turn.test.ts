import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { askInTurn } from '../../../../activities/model/ask-in-turn.ts';
import type { Fallback } from '../../../../agent/definition/manifest.ts';
import { ModelError, type ModelErrorType } from '../../../../adapters/models/model.ts';

/** Asks models that fail like this, in turn; a model that is not named answers with its name. */
async function ask(
  failures: { [model: string]: ModelErrorType | Error },
  fallbacks: readonly (string | Pick<Fallback, 'model' | 'on'>)[] = ['second'],
  from?: number,
) {
  const asked: string[] = [];
  const models = fallbacks.map((one) => ({
    adapter: 'openai',
    ...(typeof one === 'string' ? { model: one } : one),
  }));
  const agentModels = { adapter: 'openai', model: 'first', fallbacks: models };
  const { signal } = new AbortController();
  const answer = await askInTurn(
    agentModels,
    signal,
    ({ model }) => {
      asked.push(model);
      const failure = failures[model];
      if (failure === undefined) return Promise.resolve(`by ${model}`);
      return Promise.reject(typeof failure === 'string' ? failed(failure) : failure);
    },
    from,
  ).catch((error: unknown) => ({ error }));
  return { asked, ...answer };
}

function failed(
  type: ModelErrorType,
  retryable = true,
  retryAfterMs?: number,
  heldBack?: boolean,
): ModelError {
  return new ModelError(type, `It was ${type}.`, { retryable, retryAfterMs, heldBack });
}

describe('the models of a list are asked in turn', () => {
  test.each<ModelErrorType>([
    'ModelServerError',
    'ModelConnectionError',
    'ModelTimeout',
    'ModelStreamCut',
    'ModelRateLimited',
    'ModelNotFound',
    'ModelAuthenticationError',
    'ModelPermissionDenied',
    'ModelInvalidResponse',
    'ModelConflict',
  ])('after a %s the next one is asked, with a warning', async (type) => {
    expect(await ask({ first: type })).toEqual({
      asked: ['first', 'second'],
      answer: 'by second',
      by: { adapter: 'openai', model: 'second' },
      warnings: [`first failed (${type}): It was ${type}. So second was asked.`],
    });
  });

  test.each<ModelErrorType>(['ModelBadRequest', 'ModelContextTooLong'])(
    'after a %s no other one is asked, unless the list says so',
    async (type) => {
      expect(await ask({ first: type })).toMatchObject({
        asked: ['first'],
        error: { type, message: `It was ${type}.` },
      });
      const listed = await ask({ first: type }, [{ model: 'second', on: [type] }]);
      expect(listed).toMatchObject({ asked: ['first', 'second'], answer: 'by second' });
    },
  );

  test('a model that lacks what the request needs is not the last one asked, unless a list of types says so', async () => {
    const first = new ModelError('ModelBadRequest', 'It takes no images.', {
      retryable: false,
      lacksFeature: true,
    });
    expect(await ask({ first })).toMatchObject({ asked: ['first', 'second'], answer: 'by second' });
    const listed = await ask({ first }, [{ model: 'second', on: ['ModelTimeout'] }]);
    expect(listed).toMatchObject({ asked: ['first'], error: first });
  });

  test('an error that a model has not classified is one of its server', async () => {
    expect(await ask({ first: new TypeError('fetch failed') })).toMatchObject({ answer: 'by second' });
  });

  test('a model that is not there for the failure is passed over', async () => {
    const list = [{ model: 'large', on: ['ModelContextTooLong'] }, 'third'];
    expect(await ask({ first: 'ModelTimeout' }, list)).toMatchObject({ asked: ['first', 'third'] });
    expect(await ask({ first: 'ModelContextTooLong' }, list)).toMatchObject({ asked: ['first', 'large'] });
    expect(await ask({ first: 'ModelContextTooLong', large: 'ModelTimeout' }, list)).toMatchObject({
      asked: ['first', 'large', 'third'],
    });
  });

  test('an attempt after a worker’s death begins with the model that was asked then', async () => {
    expect(await ask({}, ['second', 'third'], 1)).toMatchObject({ asked: ['second'], answer: 'by second' });
  });

  test('a failure of Temporal’s is none of the model', async () => {
    const error = ApplicationFailure.create({ type: 'ModelNotConfigured' });
    expect(await ask({ first: error })).toEqual({ asked: ['first'], error });
  });

  test('a cancelled call asks no other model', async () => {
    const cancelled = new AbortController();
    const reason = new Error('cancelled');
    const models = { adapter: 'openai', model: 'm', fallbacks: [{ adapter: 'openai', model: 'n' }] };
    const asked: string[] = [];
    const asking = askInTurn(models, cancelled.signal, ({ model }) => {
      asked.push(model);
      cancelled.abort(reason);
      return Promise.reject(reason);
    });
    await expect(asking).rejects.toBe(reason);
    expect(asked).toEqual(['m']);
  });

  test.each<[what: string, first: ModelError, second: ModelError, error: object]>([
    [
      'may work later if one may',
      failed('ModelNotFound', false),
      failed('ModelTimeout'),
      { type: 'ModelTimeout', retryable: true },
    ],
    [
      'is final if all are',
      failed('ModelNotFound', false),
      failed('ModelBadRequest', false),
      { type: 'ModelNotFound', retryable: false },
    ],
    [
      'waits as the more patient one asks',
      failed('ModelRateLimited', true, 9000),
      failed('ModelRateLimited', true, 50),
      { retryAfterMs: 50 },
    ],
    [
      'counts if one request was sent',
      failed('ModelTimeout', true, 9, true),
      failed('ModelTimeout'),
      { heldBack: false },
    ],
    [
      'does not count if none was sent',
      failed('ModelTimeout', true, 9, true),
      failed('ModelTimeout', true, 9, true),
      { heldBack: true },
    ],
  ])('the failure of all %s', async (_what, first, second, error) => {
    const all = await ask({ first, second });
    expect(all).toMatchObject({ asked: ['first', 'second'], error });
    expect(all).toHaveProperty(
      'error.message',
      `No model answered. first failed (${first.type}): ${first.message} second failed (${second.type}): ${second.message}`,
    );
  });
});
