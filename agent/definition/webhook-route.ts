/** Events of a run that webhooks get: a call waits for a person, or the run has ended. */
export const webhookEvents = ['waiting', 'completed', 'stopped', 'failed', 'cancelled'] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/** A webhook of a run, as its manifest records it: neither the URL nor the secret. */
export interface WebhookRoute {
  /** Name of the webhook in the worker's config. */
  to: string;
  on: readonly WebhookEvent[];
}
