import type { Protocol } from '../http/protocol.ts';
import { a2aRoutes, wellKnownRoutes } from './a2a-routes.ts';
import { errorBody } from './protocol-error.ts';

/** A2A: a task is a run, and a context is a session. */
export const a2aProtocol: Protocol = { prefix: '/a2a', routes: a2aRoutes, errorBody };

/** The path at which clients look for the card of a host. */
export const wellKnownProtocol: Protocol = { prefix: '/.well-known', routes: wellKnownRoutes };
