/** A webhook of GitHub starts a run for each new issue. GitHub's redelivery of the same event starts no second run. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AgentClient } from 'reloop/client';

interface IssueEvent {
  action: string;
  repository: { full_name: string };
  issue: { number: number; title: string; body: string | null };
}

/** `secret`: the one of the webhook in the repository's settings, whose content type is application/json. */
export function githubWebhook(client: AgentClient, agent: string, secret: string) {
  return async (request: Request): Promise<Response> => {
    const body = await request.text();
    if (!isSigned(body, request.headers, secret)) return new Response('wrong signature', { status: 401 });
    if (request.headers.get('x-github-event') !== 'issues') return new Response('ignored');
    const { action, repository, issue } = JSON.parse(body) as IssueEvent;
    if (action !== 'opened') return new Response('ignored');
    const id = `github-${request.headers.get('x-github-delivery')}`;
    const question = `${repository.full_name}#${issue.number}: ${issue.title}\n\n${issue.body ?? ''}`;
    await client.start(agent, question, { id, tags: ['github'] });
    return Response.json({ id }, { status: 202 });
  };
}

function isSigned(body: string, headers: Headers, secret: string): boolean {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const given = Buffer.from(headers.get('x-hub-signature-256') ?? '');
  const wanted = Buffer.from(`sha256=${digest}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
