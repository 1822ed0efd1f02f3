import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createGateway } from '../../gateway/gateway.ts';
import type { TokenCaller } from '../../gateway/http/caller.ts';
import { readFacts } from '../../history/read/facts.ts';
import { allOf } from '../support/all-of.ts';
import { reloopHere } from '../support/reloop-here.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { deferringTool } from '../support/sample-tools.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

const [key, otherKey] = vi.hoisted(() => {
  const keys = ['first-key-of-the-workers-0123456789', 'newer-key-of-the-workers-0123456789'] as const;
  process.env['RELOOP_DEFER_KEY'] = keys[0];
  return keys;
});

const { deferring, tokens } = deferringTool();
const rig = useRig({
  agents: [
    {
      name: 'patient',
      model: modelOf((step) => (step === '1' ? act('deferring', 'x') : answer('done'))),
      tools: [deferring],
    },
  ],
});

async function deferred() {
  const run = await rig.client.start('patient', 'what?');
  await waitOf(run, { call: '1.1' });
  const token = tokens.at(-1) ?? '';
  return { run, token, unsigned: token.split(':').slice(0, 3).join(':') };
}

test('a token is signed with the key of its worker, and no other token is accepted, not even the one in history', async () => {
  const { run, token, unsigned } = await deferred();
  const { runId } = await run.describe();
  const facts = await allOf(readFacts(rig.temporal, { workflowId: run.id, runId }));
  const results = facts.map(async (fact) => (fact.type === 'succeeded' ? fact.result() : null));
  const recorded = JSON.stringify(await Promise.all(results));
  expect(recorded).toContain(unsigned);
  expect(recorded).not.toContain(token);

  const foreign = `${unsigned}:${randomBytes(32).toString('base64url')}`;
  for (const forged of [unsigned, foreign, `${unsigned}:`])
    await expect(rig.client.resolve(forged, 'forged')).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('not signed with a key of RELOOP_DEFER_KEY'),
    });
  expect((await run.describe()).status).toBe('waiting');
  expect(await rig.client.resolve(token, 'delivered')).toMatchObject({ call: '1.1', decision: 'resolve' });
  expect((await run.result()).intermediateSteps[0]?.observation).toBe('delivered');
});

test('a gateway refuses an unsigned token, and takes a token that an older key has signed', async () => {
  const { run, token, unsigned } = await deferred();
  process.env['RELOOP_DEFER_KEY'] = `${otherKey},${key}`;
  const caller: TokenCaller = {
    token: 'caller-token-0123456789',
    name: 'warehouse',
    scopes: ['decide'],
    may: ['all-runs'],
  };
  const gateway = createGateway(rig.client, { tokens: [caller] });
  const give = (sent: string) =>
    gateway.fetch(
      new Request('http://gateway/deferred', {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ token: sent, output: 'delivered' }),
      }),
    );
  expect((await give(unsigned)).status).toBe(400);
  expect((await give(token)).status).toBe(200);
  await run.result();
});

test('the command resolve asks for the signature where the key is set, and takes the token as it is where none is', async () => {
  const { run, token, unsigned } = await deferred();
  const resolve = (sent: string, env: { [name: string]: string }) =>
    reloopHere(['resolve', sent, 'delivered', '--address', rig.client.address], env);
  const refused = await resolve(unsigned, { RELOOP_DEFER_KEY: key });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not signed')]);
  expect((await resolve(token, {})).code).toBe(0);
  await run.result();
});
