import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { serve } from '@hono/node-server';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ConfigDefinition } from '../../config/define.ts';
import { githubWebhook } from '../../examples/recipes/github-webhook.ts';
import { mailNotice } from '../../examples/recipes/mail-notice.ts';
import { slackApproval } from '../../examples/recipes/slack-approval.ts';
import { AgentClient } from 'reloop/client';
import { defineTool } from '../../adapters/tools/tool.ts';
import { useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/** The recipes of docs/webhooks.md: real webhooks, a loopback Slack with recorded answers, GitHub's signature, a real SMTP server. */
const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ok!').toString('base64')}`;
const SIGNING = 'slack-signing-secret';
const GITHUB = 'github-secret';
const pay = defineTool({ name: 'pay', description: 'pays', approval: 'always', run: (x) => `paid ${x}` });
const config: ConfigDefinition = {
  agents: [
    { name: 'payer', model: script(act('pay', '5 euros'), answer('done')), tools: [pay] },
    { name: 'triager', model: script(answer('a bug')) },
  ],
};
const rig = useRig(config);

interface Posted {
  path: string;
  token: string | undefined;
  body: { text?: string; blocks?: { elements?: { action_id: string; value: string }[] }[] };
}
const posted: Posted[] = [];
/** As Slack's API and its response URLs answer. */
const slack = createServer((request, response) => {
  void textOf(request).then((payload) => {
    const body = JSON.parse(payload) as Posted['body'];
    posted.push({ path: request.url ?? '', token: request.headers.authorization, body });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, channel: 'C024BE91L', ts: '1401383885.000061', message: body }));
  });
});
const mails: string[] = [];
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, done) =>
    void textOf(stream).then((mail) => {
      mails.push(mail);
      done();
    }),
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const servers: { close(): unknown }[] = [slack, smtp];
const listening = (fetch: (request: Request) => Promise<Response>) =>
  new Promise<string>((resolve) => {
    const server = serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    );
    servers.push(server);
  });
let slackApp: string;
let github: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  const client = new AgentClient(rig.temporal, rig.client.address, rig.taskQueue);
  const slackApi = `http://127.0.0.1:${portOf(slack)}/api`;
  const app = {
    webhookSecret: secret,
    signingSecret: SIGNING,
    botToken: 'xoxb-1',
    channel: 'C024BE91L',
    slackApi,
  };
  slackApp = await listening(slackApproval(client, app));
  github = await listening(githubWebhook(client, 'triager', GITHUB));
  const mail = mailNotice({
    webhookSecret: secret,
    smtp: `smtp://127.0.0.1:${portOf(smtp.server)}`,
    from: 'agent@example.com',
    to: 'you@example.com',
  });
  config.webhooks = [
    { on: ['waiting'], url: `${slackApp}/reloop`, secret },
    { on: ['waiting', 'failed'], url: await listening(mail), secret },
  ];
  await rig.restart();
}, 60_000);
afterAll(() => servers.forEach((server) => void server.close()));

test('a click in Slack approves a call, in the name of the person, and a mail tells of it', async () => {
  const run = await rig.client.start('payer', 'Pay 5 euros.');
  const message = await vi.waitUntil(() => posted.find(({ path }) => path === '/api/chat.postMessage'), {
    timeout: 30_000,
  });
  expect(message).toMatchObject({
    token: 'Bearer xoxb-1',
    body: { text: `${run.id} wants to call pay with "5 euros"` },
  });
  const value = message.body.blocks?.[1]?.elements?.find((one) => one.action_id === 'approve')?.value ?? '';
  const mail = await vi.waitUntil(() => mails[0], { timeout: 30_000 });
  expect(mail).toContain(`Subject: ${run.id}: pay waits for you`);
  expect(mail).toContain(`reloop approve ${run.id} 1.1`);
  expect(mail).toMatch(/^Message-ID: <msg_.*@reloop>\r$/mu);

  const click = (signature?: string) => {
    const response_url = `http://127.0.0.1:${portOf(slack)}/actions/1`;
    const payload = JSON.stringify({ user: { username: 'ann' }, response_url, actions: [{ value }] });
    const body = new URLSearchParams({ payload }).toString();
    const time = String(Math.floor(Date.now() / 1000));
    const digest = createHmac('sha256', SIGNING).update(`v0:${time}:${body}`).digest('hex');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': time,
      'x-slack-signature': signature ?? `v0=${digest}`,
    };
    return fetch(`${slackApp}/slack`, { method: 'POST', headers, body });
  };
  expect((await click('v0=wrong')).status).toBe(401);
  expect((await click()).status).toBe(200);
  expect((await run.result()).output).toBe('done');
  expect(posted.at(-1)).toMatchObject({ path: '/actions/1', body: { text: 'approve: ann' } });
  expect((await click()).status).toBe(200);
  expect(posted.at(-1)?.body.text).toMatch(/is over|does not wait|has ended/u);
});

test('an issue on GitHub starts a run, once however often GitHub sends it', async () => {
  const body = JSON.stringify({
    action: 'opened',
    repository: { full_name: 'you/project' },
    issue: { number: 7, title: 'It breaks', body: 'When I click.' },
  });
  const send = (signature = `sha256=${createHmac('sha256', GITHUB).update(body).digest('hex')}`) =>
    fetch(github, {
      method: 'POST',
      headers: { 'x-github-event': 'issues', 'x-github-delivery': 'd-1', 'x-hub-signature-256': signature },
      body,
    });
  expect((await send('sha256=00')).status).toBe(401);
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  const run = rig.client.get('github-d-1');
  expect((await run.result()).output).toBe('a bug');
  expect(await run.describe()).toMatchObject({ input: 'you/project#7: It breaks\n\nWhen I click.' });
});
