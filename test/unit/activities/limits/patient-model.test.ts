import { expect, test } from 'vitest';
import { modelOf } from '../../../../activities/model/model-of.ts';
import type { Attempt } from '../../../../activities/attempt/attempt.ts';
import type { Dependencies } from '../../../../activities/dependencies.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { callContext, modelRequest } from '../../../support/model-calls.ts';

const manifest = { name: 'a', holdsBack: true } as unknown as AgentManifest;
const asked = { adapter: 'm', model: 'm' };

test("a tool's request that waits for a budget has no place among those to the model meanwhile", async () => {
  const seen: string[] = [];
  const permit = { end: () => seen.push('ended'), giveBack: () => seen.push('given back') };
  const ledger = {
    account: { rule: { name: 'all', onEnd: 'wait' }, key: '' },
    workflowId: 'ledger',
    reserve: async () => ({ refused: 'the budget "all": $1 a day is used up' }),
  };
  const tokens = { of: () => 1, learn: () => undefined };
  const wait = async () => {
    seen.push('place');
    return permit;
  };
  const dependencies = {
    models: new Map([['m', { call: async () => seen.push('asked') }]]),
    limiter: {
      limitsOf: () => ({ name: 'm', limits: { concurrency: 1 } }),
      callsOf: () => ({ ...tokens, wait }),
    },
    budgets: { estimates: tokens, ledgersOf: () => [ledger] },
  } as unknown as Dependencies;
  const shown: unknown[] = [];
  const heartbeat = { record: {}, set: ({ progress }: { progress?: string }) => shown.push(progress) };
  const context = { client: {}, info: { activityType: 'lookup' } };
  const attempt = { context, heartbeat } as unknown as Attempt;

  const cancelled = new AbortController();
  const model = modelOf(dependencies, manifest, asked, attempt);
  const call = model.call(modelRequest(), callContext({ signal: cancelled.signal }));
  await expect.poll(() => shown.at(-1)).toBe('waits for the budget "all": $1 a day is used up');
  expect(seen).toEqual(['place', 'given back']);
  cancelled.abort();
  await expect(call).rejects.toThrow('aborted');
});
