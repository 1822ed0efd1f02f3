import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { type GatewayOptions, createGateway } from '../../gateway/gateway.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { deferringTool } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';

const { deferring, tokens } = deferringTool();
const rig = useRig({
  agents: [{ name: 'patient', model: script(act('deferring', 'x'), answer('done')), tools: [deferring] }],
});

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ok!').toString('base64')}`;
const callers = { tokens: [{ token: 'admin-token-0123456789', name: 'root', scopes: ['admin' as const] }] };
const open = { ...callers, callbacks: true };
const signed = { ...callers, callbacks: { secret } };

async function post(options: GatewayOptions, token: string, body: string, headers = {}): Promise<number> {
  const request = new Request(`http://gateway/deferred/${token}`, { method: 'POST', body, headers });
  return (await createGateway(rig.client, options).fetch(request)).status;
}

async function deferred() {
  const run = await rig.client.start('patient', 'x');
  await waitOf(run, { reason: 'deferred' });
  return { run, token: tokens.at(-1) ?? '' };
}

test('a request without a caller answers a deferred call by the token in its path, where callbacks are on', async () => {
  const { run, token } = await deferred();
  expect(await post(callers, token, '{}')).toBe(401);
  expect(await post(open, 'no-token', '{}')).toBe(409);
  expect(await post(open, encodeURIComponent(token), '{"paid":true}')).toBe(200);
  expect((await run.result()).intermediateSteps).toMatchObject([{ observation: { paid: true } }]);
  expect(await post(open, token, '{"paid":true}')).toBe(409);
});

test('with a secret the request has to be signed', async () => {
  const { run, token } = await deferred();
  const body = 'paid, in words';
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', new Date(), body),
  };
  expect(await post(signed, token, body)).toBe(401);
  expect(await post(signed, token, `${body}!`, headers)).toBe(401);
  expect(await post(signed, token, body, headers)).toBe(200);
  expect((await run.result()).intermediateSteps).toMatchObject([{ observation: body }]);
});
