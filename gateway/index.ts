/** The gateway: an HTTP API for runs. */
export { type Gateway, type GatewayOptions, createGateway } from './gateway.ts';
export type { Authenticate, Caller, Scope, TokenCaller } from './http/caller.ts';
export type { ServedAgent } from './http/route.ts';
export type { CallbackOptions } from './routes/callback.ts';
