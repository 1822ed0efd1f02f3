import { possibleDecisions } from '../rules/waiting.ts';
import type { WebhookDelivery } from './delivery.ts';

/** Makes the body of a delivery. `url`: the run in Temporal's Web UI, if its address is known. */
export function webhookBody(delivery: WebhookDelivery, url: string | undefined): string {
  const { event, timestamp, run, wait, result, error, omitted } = delivery;
  return JSON.stringify({
    type: `run.${event}`,
    timestamp: new Date(timestamp).toISOString(),
    data: {
      ...run,
      status: event,
      ...(wait && { waiting: { ...wait, decisions: possibleDecisions(wait).map(({ type }) => type) } }),
      ...result,
      ...(error && { error }),
      ...(omitted && { omitted }),
      ...(url === undefined ? {} : { url }),
    },
  });
}
