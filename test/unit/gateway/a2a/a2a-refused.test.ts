import { expect, test } from 'vitest';
import { createGateway } from '../../../../gateway/index.ts';
import { offlineContext } from '../../../support/offline-context.ts';

const token = 'x'.repeat(32);
const { client } = offlineContext();
const gateway = createGateway(client, {
  tokens: [{ token, name: 'reader', scopes: ['read'] }],
  agents: [{ name: 'desk' }],
});

const send = async (body: unknown, agent = 'desk', version = '1.0') => {
  const response = await gateway.fetch(
    new Request(`http://localhost/a2a/${agent}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'a2a-version': version },
      body: JSON.stringify(body),
    }),
  );
  const { id, error } = (await response.json()) as { id: unknown; error: { message: string } };
  return { status: response.status, id, message: error.message };
};
const parts = [{ text: 'hello' }];
const params = { message: { messageId: 'm1', role: 'ROLE_USER', parts } };

test.each([7, 'seven'])('a refused call of A2A has the id of its request: %j', async (id) => {
  const call = { jsonrpc: '2.0', id, method: 'SendMessage', params };
  expect(await send(call)).toMatchObject({ status: 403, id });
  expect(await send({ ...call, method: 'SendStreamingMessage' })).toMatchObject({ status: 403, id });
  expect(await send(call, 'nobody')).toMatchObject({ status: 404, id });
  expect(await send(call, 'desk', '9.9')).toMatchObject({ status: 400, id });
});

test('a call of A2A that cannot be read is refused without an id', async () => {
  expect(await send({ id: 7, method: 'SendMessage' })).toMatchObject({ status: 400, id: null });
});
