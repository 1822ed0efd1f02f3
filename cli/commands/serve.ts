import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { ServerType } from '@hono/node-server';
import { fieldOf } from '../../agent/values/values.ts';
import { setValue } from '../../agent/values/set-value.ts';
import type { Gateway, GatewayOptions, TokenCaller } from '../../gateway/index.ts';
import { LOOPBACK_NAMES } from '../../gateway/http/loopback-names.ts';
import { holderOf } from '../../local/server/server.ts';
import { requirePackage, requirePackages } from '../../adapters/tools/optional-package.ts';
import { loadCommandConfig } from '../connection/command-config.ts';
import { type ContextOptions, withTemporal } from '../connection/context.ts';
import { servedAgents, servingClient } from '../connection/served-agents.ts';
import { tokenOf } from '../connection/token.ts';
import { webUiAddress } from '../connection/web-ui.ts';
import { type Io, ENDING, UsageError, exitCodes, printJson, say, untilSignal } from '../shell/io.ts';

interface ServeOptions extends ContextOptions {
  host: string;
  port: number;
  /** JSON file: `[{ token, name, scopes, tenant }]`. */
  tokens?: string;
  /** `POST /deferred/TOKEN` needs no caller. */
  callbacks?: boolean;
  /** Everybody on this machine may do everything. */
  open?: boolean;
  /** Origins of web pages that may ask. */
  origin?: string[];
  /** A page for people who talk to agents. */
  chat?: boolean;
  /** Address at which others reach the gateway. */
  publicUrl?: string;
  /** Address of Temporal's Web UI. */
  webUi?: string;
}

const TOKEN = 'RELOOP_GATEWAY_TOKEN';
const CALLBACK_SECRET = 'RELOOP_CALLBACK_SECRET';
const PACKAGES = ['hono', '@hono/zod-openapi', '@hono/node-server'] as const;

/** `reloop serve`: an HTTP API for runs, until a signal ends it. */
export async function serve(io: Io, options: ServeOptions): Promise<number> {
  const { host, port, origin } = options;
  requirePackages(PACKAGES, 'reloop serve');
  const config = await loadCommandConfig(options.config);
  const callers = callersOf(io, options);
  const { createGateway } = await import('../../gateway/index.ts');
  return withTemporal(io, { ...options, loaded: config.loaded }, async (context) => {
    const gateway = createGateway(await servingClient(io, context, config, options), {
      ...callers.options,
      agents: servedAgents(config.loaded),
      origins: origin,
      callbacks: callbacksOf(io.env, options.callbacks),
      chat: options.chat,
      publicUrl: options.publicUrl,
      webUi: options.webUi ?? webUiAddress(io.env, context),
      onError: (error) => say(io, error instanceof Error ? (error.stack ?? error.message) : String(error)),
    });
    const { signal, stop } = untilSignal(io);
    let server: ServerType | undefined;
    try {
      server = await listening(gateway, host, port);
      const { port: taken } = server.address() as AddressInfo; // of a TCP server
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
      say(
        io,
        `Gateway ready: ${url}, routes: ${url}/openapi.json, inbox: ${url}/${options.chat === true ? `, chat: ${url}/chat` : ''}`,
      );
      if (callers.made !== undefined) say(io, `Authorization: Bearer ${callers.made}`);
      if (options.json === true) printJson(io, { url, token: callers.made ?? null });
      await signal;
      say(io, ENDING);
      return exitCodes.answered;
    } finally {
      stop();
      // Streams of events do not end on their own.
      if (server !== undefined && 'closeAllConnections' in server) server.closeAllConnections();
      server?.close();
    }
  });
}

/** Senders sign with the secret, where there is one. */
export function callbacksOf(env: NodeJS.ProcessEnv, callbacks = false): GatewayOptions['callbacks'] {
  const secret = setValue(env[CALLBACK_SECRET]);
  if (!callbacks || secret === undefined) return callbacks;
  requirePackage('standardwebhooks', CALLBACK_SECRET);
  return { secret };
}

/**
 * Idle connections stay open for this long, 5 s by Node's default. A load balancer that keeps its connections for longer than its server
 * does, 60 s as a rule, sends a request into a connection that is just being closed, and answers 502.
 */
const KEEP_ALIVE_MS = 75_000;

async function listening(gateway: Gateway, host: string, port: number): Promise<ServerType> {
  const { createAdaptorServer } = await import('@hono/node-server');
  const server = createAdaptorServer({ fetch: (request) => gateway.fetch(request) });
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = KEEP_ALIVE_MS;
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  } catch (error) {
    const isTaken = fieldOf(error, 'code') === 'EADDRINUSE';
    const why = isTaken
      ? `${await holderOf(port)} listens there. Name another port: --port ${port + 1}`
      : String(error);
    throw new UsageError(`serve cannot listen on ${host}:${port}: ${why}.`);
  }
}

/** `made`: a random token, if the user has set none. */
function callersOf(
  io: Io,
  { open = false, tokens, host }: ServeOptions,
): { options: Pick<GatewayOptions, 'tokens' | 'open' | 'hosts'>; made?: string } {
  if (open && tokens !== undefined) throw new UsageError('serve: give --open or --tokens, not both.');
  if (open && !isLoopback(host))
    throw new UsageError(`serve: --open is for this machine only, and ${host} is reachable from others.`);
  if (open) return { options: { open, hosts: [...new Set([host, ...LOOPBACK_NAMES])] } };
  if (tokens !== undefined) return { options: { tokens: readTokens(tokens) } };
  const token = tokenOf(io.env, TOKEN);
  const isSet = setValue(io.env[TOKEN]) !== undefined;
  return {
    options: { tokens: [{ token, name: 'gateway', scopes: ['admin'] }] },
    ...(isSet ? {} : { made: token }),
  };
}

function readTokens(file: string): TokenCaller[] {
  try {
    const list = JSON.parse(readFileSync(file, 'utf8')) as TokenCaller[];
    if (Array.isArray(list)) return list; // the gateway checks each
  } catch (error) {
    throw new UsageError(`--tokens ${file}: ${String(error)}`);
  }
  throw new UsageError(
    `--tokens ${file}: write a list: [{ "token": "…", "name": "…", "scopes": ["read"] }].`,
  );
}

function isLoopback(host: string): boolean {
  return /^(?:127\.|localhost$|::1$)/u.test(host);
}
