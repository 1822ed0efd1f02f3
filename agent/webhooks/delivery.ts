import type { WebhookEvent } from '../definition/webhook-route.ts';
import type { WaitingCall } from '../rules/waiting.ts';
import type { RunResult } from '../run/run-result.ts';
import type { ErrorInfo } from '../values/vocabulary.ts';

/** Activity of a delivery. */
export const DELIVER_WEBHOOK = 'deliverWebhook';

/** One event of a run for one webhook. */
export interface WebhookDelivery {
  to: string;
  /** The same for all attempts. */
  id: string;
  event: WebhookEvent;
  /** Milliseconds since 1970. */
  timestamp: number;
  run: { id: string; runId: string; agent: string; tags?: readonly string[] | undefined };
  wait?: WaitingCall | undefined;
  result?: Pick<RunResult, 'output' | 'stopReason' | 'truncated'> | undefined;
  error?: ErrorInfo | undefined;
  /** The wait's input, or the output, is too large for a webhook, and is null. */
  omitted?: true | undefined;
}

/** A receiver of webhooks, as the worker's config has it. */
export interface WebhookTarget {
  url: string;
  secret: string;
  /** Address of Temporal's Web UI. */
  webUi?: string | undefined;
}
