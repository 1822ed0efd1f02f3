import { proxyActivities } from '@temporalio/workflow';
import { DELIVER_WEBHOOK, type WebhookDelivery } from '../agent/webhooks/delivery.ts';

/** The registered workflow of a delivery: one event of a run, sent to one webhook until the receiver has it, for three days. */
export async function webhookDelivery(delivery: WebhookDelivery): Promise<void> {
  const { [DELIVER_WEBHOOK]: deliver } = proxyActivities<{
    [DELIVER_WEBHOOK](delivery: WebhookDelivery): Promise<void>;
  }>({
    activityId: 'deliver',
    summary: delivery.to,
    startToCloseTimeout: '30s',
    scheduleToCloseTimeout: '3 days',
    retry: { initialInterval: '5s', backoffCoefficient: 3, maximumInterval: '1h' },
  });
  await deliver(delivery);
}
