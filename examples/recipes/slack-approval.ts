/** Approval by buttons in Slack: a webhook of Reloop becomes a message, a click becomes a decision. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type AgentClient, DecisionRefused } from 'reloop/client';
import { Webhook } from 'standardwebhooks';

interface Settings {
  /** Secret of the webhook in the config, with `on: ['waiting']` and a URL that ends with /reloop. */
  webhookSecret: string;
  /** Signing secret and bot token of the Slack app. Its Interactivity Request URL ends with /slack. */
  signingSecret: string;
  botToken: string;
  channel: string;
  slackApi?: string;
}

interface Waiting {
  data: { id: string; waiting: { call: string; n: number; tool: string; toolInput: unknown } };
}
type Decision = { id: string; call: string; n: number; type: 'approve' | 'reject' };
type Click = { user: { username: string }; response_url: string; actions: [{ value: string }] };

export function slackApproval(client: AgentClient, settings: Settings) {
  return async (request: Request): Promise<Response> => {
    const body = await request.text();
    if (new URL(request.url).pathname === '/reloop') {
      new Webhook(settings.webhookSecret).verify(body, Object.fromEntries(request.headers));
      return ask(JSON.parse(body) as Waiting, settings);
    }
    if (!isFromSlack(body, request.headers, settings)) return new Response(null, { status: 401 });
    return decide(client, JSON.parse(new URLSearchParams(body).get('payload') ?? '') as Click);
  };
}

async function ask({ data: { id, waiting } }: Waiting, settings: Settings): Promise<Response> {
  const { channel, botToken, slackApi = 'https://slack.com/api' } = settings;
  const { call, n, tool, toolInput } = waiting;
  const text = `${id} wants to call ${tool} with ${JSON.stringify(toolInput)}`;
  const elements = ['approve', 'reject'].map((type) => {
    const value = JSON.stringify({ id, call, n, type });
    return { type: 'button', action_id: type, text: { type: 'plain_text', text: type }, value };
  });
  const blocks = [
    { type: 'section', text: { type: 'plain_text', text } },
    { type: 'actions', elements },
  ];
  const answer = await send(`${slackApi}/chat.postMessage`, { channel, text, blocks }, botToken);
  const { ok } = (await answer.json()) as { ok: boolean };
  return new Response(null, { status: ok ? 204 : 502 }); // Reloop sends the webhook again after a 502
}

async function decide(client: AgentClient, { user, response_url: url, actions }: Click): Promise<Response> {
  const { id, call, n, type } = JSON.parse(actions[0].value) as Decision;
  const run = client.as(user.username).get(id);
  const text = await run.decide(call, { type }, n).then(
    () => `${type}: ${user.username}`,
    (error: unknown) => (error instanceof DecisionRefused ? error.message : Promise.reject(error)),
  );
  await send(url, { replace_original: true, text });
  return new Response();
}

function send(url: string, body: object, token = ''): Promise<Response> {
  const headers = { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

function isFromSlack(body: string, headers: Headers, { signingSecret }: Settings): boolean {
  const time = headers.get('x-slack-request-timestamp') ?? '0';
  const digest = createHmac('sha256', signingSecret).update(`v0:${time}:${body}`).digest('hex');
  const given = Buffer.from(headers.get('x-slack-signature') ?? '');
  const wanted = Buffer.from(`v0=${digest}`);
  const isNew = Math.abs(Date.now() / 1000 - Number(time)) < 300;
  return isNew && given.length === wanted.length && timingSafeEqual(given, wanted);
}
