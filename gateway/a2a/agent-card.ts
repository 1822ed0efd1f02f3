import type { ServedAgent } from '../http/route.ts';
import type { A2aVersion } from './a2a-version.ts';

export interface CardPlace {
  /** The address for messages to the agent. */
  url: string;
  /** The client's. */
  version: A2aVersion;
  /** The card was asked for with a bearer token. */
  hasToken: boolean;
}

export const CAPABILITIES = { streaming: true, pushNotifications: false };
const MODES = {
  defaultInputModes: [
    'text/plain',
    'application/json',
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'application/pdf',
    'audio/wav',
    'audio/mpeg',
    'text/csv',
    'text/markdown',
  ],
  defaultOutputModes: ['text/plain', 'application/json'],
};
const JSON_RPC = 'JSONRPC';

/** The card of an agent: its name, its address, and how to authenticate. */
export function agentCard({ name, description }: ServedAgent, { url, version, hasToken }: CardPlace): object {
  const about = description ?? `Answers as the agent ${name}.`;
  return {
    name,
    description: about,
    version: '1',
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: JSON_RPC,
      protocolVersion,
    })),
    capabilities: CAPABILITIES,
    ...MODES,
    skills: [{ id: name, name, description: about, tags: [] }],
    ...(version === '0.3' && { protocolVersion: '0.3.0', url, preferredTransport: JSON_RPC }),
    ...(hasToken && bearer[version]),
  };
}

const bearer = {
  '1.0': {
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  },
  '0.3': {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    security: [{ bearer: [] }],
  },
} as const;
