import { ApplicationFailure, Context } from '@temporalio/activity';
import { Webhook } from 'standardwebhooks';
import { fieldOf } from '../../agent/values/values.ts';
import { webhookBody } from '../../agent/webhooks/webhook-body.ts';
import type { WebhookDelivery, WebhookTarget } from '../../agent/webhooks/delivery.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';

const TIMEOUT_MS = 15_000;
/** The receiver wants no more webhooks. */
const GONE = 410;

/**
 * Makes the activity that sends one event to one webhook, signed by the Standard Webhooks scheme. URL and secret are read from the config
 * at each attempt, and are in no error. Throws for every answer but 2xx; redirects are not followed.
 */
export function createDeliverWebhook({ webhooks }: { webhooks: ReadonlyMap<string, WebhookTarget> }) {
  return async (delivery: WebhookDelivery): Promise<void> => {
    const target = webhooks.get(delivery.to);
    if (target === undefined) {
      throw failure(`The config of this worker has no webhook "${delivery.to}" (any more).`);
    }
    const response = await send(target, delivery);
    await response.body?.cancel();
    if (response.ok) return;
    const message = `The receiver of webhook "${delivery.to}" answered ${response.status || 'with a redirect'}.`;
    throw failure(message, {
      nonRetryable: response.status === GONE,
      ...retryAfter(response.headers.get('retry-after')),
    });
  };
}

async function send({ url, secret, webUi }: WebhookTarget, delivery: WebhookDelivery): Promise<Response> {
  const { info, cancellationSignal } = Context.current();
  const body = webhookBody(delivery, webUi && pageOf(webUi, info.namespace, delivery.run));
  const now = new Date();
  try {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': delivery.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(delivery.id, now, body),
    };
    return await withTimeLimit(TIMEOUT_MS, cancellationSignal, (signal) =>
      fetch(url, { method: 'POST', redirect: 'manual', signal, headers, body }),
    );
  } catch (error) {
    const code = fieldOf(fieldOf(error, 'cause'), 'code') ?? fieldOf(error, 'name');
    throw failure(`The receiver of webhook "${delivery.to}" did not answer: ${String(code)}.`);
  }
}

function pageOf(webUi: string, namespace: string, { id, runId }: WebhookDelivery['run']): string {
  const path = ['namespaces', namespace, 'workflows', id, runId].map(encodeURIComponent).join('/');
  return `${webUi.replace(/\/$/u, '')}/${path}`;
}

/** Longest wait that a receiver may ask for. */
const MOST_RETRY_AFTER_S = 3600;

function retryAfter(header: string | null): { nextRetryDelay?: number } {
  const seconds = header !== null && /^\d+$/u.test(header) ? Number(header) : 0;
  return seconds === 0 ? {} : { nextRetryDelay: Math.min(seconds, MOST_RETRY_AFTER_S) * 1000 };
}

function failure(message: string, options: { nonRetryable?: boolean; nextRetryDelay?: number } = {}) {
  return ApplicationFailure.create({ type: 'WebhookNotDelivered', message, ...options });
}
