import { describe, expect, test } from 'vitest';
import { webhookBody } from '../../../../agent/webhooks/webhook-body.ts';
import { agent, loadedConfig, problemOf } from '../../../support/config.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ok!').toString('base64')}`;
const url = 'https://example.com/hook';
const config = (...webhooks: object[]) => ({ agents: [agent(), agent({ name: 'b' })], webhooks });

describe('webhooks of a config', () => {
  test.each([
    [[{ on: ['waiting'], url }], 'webhooks.0.secret: is missing'],
    [[{ on: ['waiting'], url, secret: 'short' }], "webhooks.0.secret: is not 'whsec_'"],
    [[{ on: ['started'], url, secret }], 'is none of waiting, completed, stopped, failed, cancelled'],
    [[{ on: [], url, secret }], 'webhooks.0.on: is empty'],
    [[{ on: ['failed'], url: 'ftp://x', secret }], 'is not a URL'],
    [[{ on: ['failed'], url, secret, agents: ['nobody'] }], 'webhooks: there is no agent "nobody"'],
    [
      [
        { on: ['failed'], url, secret },
        { on: ['waiting'], url, secret },
      ],
      'webhooks: two have the same url',
    ],
  ])('%j are refused', (webhooks, problem) => {
    expect(problemOf(config(...webhooks))).toContain(problem);
  });

  test('are in the manifests of their agents and tags, without URL and secret', () => {
    const { manifest } = loadedConfig(
      config(
        { on: ['waiting', 'waiting'], url, secret, name: 'desk', agents: ['a'] },
        { on: ['failed'], url: `${url}/2`, secret, tags: ['vip', 'eu'] },
      ),
    );
    expect(manifest('a', {})?.webhooks).toEqual([{ to: 'desk', on: ['waiting'] }]);
    expect(manifest('b', {})).not.toHaveProperty('webhooks');
    const vip = manifest('b', { tags: ['eu', 'x', 'vip'] });
    expect(vip?.webhooks).toEqual([
      { to: expect.stringMatching(/^[\da-f]{12}$/u) as string, on: ['failed'] },
    ]);
    expect(JSON.stringify(vip)).not.toMatch(/whsec|example/u);
  });
});

test('the body of a webhook says what happened, when, to which run, and what may be decided', () => {
  const run = { id: 'r', runId: 'r1', agent: 'a' };
  const wait = { call: '3.1', n: 0, tool: 'pay', toolInput: { eur: 5 }, reason: 'approval' as const };
  const body = webhookBody(
    { to: 'desk', id: 'msg_1', event: 'waiting', timestamp: 0, run, wait },
    'http://ui/r',
  );
  expect(JSON.parse(body)).toEqual({
    type: 'run.waiting',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: {
      ...run,
      status: 'waiting',
      waiting: { ...wait, decisions: ['approve', 'reject', 'resolve', 'abort'] },
      url: 'http://ui/r',
    },
  });
});
