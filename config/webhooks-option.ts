import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import type { AgentManifest } from '../agent/definition/manifest.ts';
import { type WebhookEvent, type WebhookRoute, webhookEvents } from '../agent/definition/webhook-route.ts';
import { requirePackage } from '../adapters/tools/optional-package.ts';
import { ConfigError, type WebhookDefinition } from './define.ts';
import { options } from './options/options.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/u;
const httpUrl = (value: string) => /^https?:\/\//iu.test(value) && URL.canParse(value);

const webhookShape = {
  on: z.array(z.enum(webhookEvents, `is none of ${webhookEvents.join(', ')}`)).min(1, 'is empty'),
  url: z.string('is not a URL').refine(httpUrl, 'is not a URL that begins with https:// or http://'),
  secret: z
    .string("is missing: 'whsec_' and at least 24 bytes as base64")
    .regex(SECRET, "is not 'whsec_' and at least 24 bytes as base64"),
  name: z.string().regex(/^[\w-]{1,64}$/u, 'is not 1 to 64 letters, digits, "-" and "_"'),
  agents: z.array(z.string()),
  tags: z.array(z.string()),
  webUi: z.string().refine(httpUrl, 'is not a URL that begins with https:// or http://'),
} satisfies Record<keyof WebhookDefinition, z.ZodType>;

export const webhooksSchema = z.array(
  options(webhookShape).partial().required({ on: true, url: true, secret: true }),
);

/** Webhooks of a config, by their names. */
export type Webhooks = ReadonlyMap<string, WebhookDefinition>;

/** Throws {@link ConfigError} for two webhooks of one name, and for an agent that is not in the config. */
export function allWebhooks(
  definitions: readonly WebhookDefinition[] = [],
  agents: ReadonlyMap<string, unknown>,
): Webhooks {
  if (definitions.length > 0) requirePackage('standardwebhooks', 'webhooks');
  const webhooks = new Map<string, WebhookDefinition>();
  for (const webhook of definitions) {
    const name = webhook.name ?? digestOf(webhook.url);
    const unknown = webhook.agents?.find((agent) => !agents.has(agent));
    if (unknown !== undefined) {
      const known = [...agents.keys()].join(', ');
      throw new ConfigError(`webhooks: there is no agent "${unknown}". The config has: ${known}.`);
    }
    if (webhooks.has(name)) {
      throw new ConfigError(
        `webhooks: two have ${webhook.name === undefined ? 'the same url' : `the name "${name}"`}. Give each a separate name.`,
      );
    }
    webhooks.set(name, webhook);
  }
  return webhooks;
}

/** Names a webhook without its URL, which may be a secret. */
function digestOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 12);
}

/** Adds the webhooks of an agent's run. A run keeps the names of the webhooks that it started with. */
export function withWebhooks(manifest: AgentManifest, webhooks: Webhooks): AgentManifest {
  const { name: agent, tags: own = [] } = manifest;
  const routes = [...webhooks].flatMap(([to, { on, agents, tags = [] }]): WebhookRoute[] => {
    const fits = agents?.includes(agent) !== false && tags.every((tag) => own.includes(tag));
    const events: WebhookEvent[] = [...new Set(on)];
    return fits ? [{ to, on: events }] : [];
  });
  return routes.length === 0 ? manifest : { ...manifest, webhooks: routes };
}
