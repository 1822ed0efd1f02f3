import type { AgentClient } from '../../client/index.ts';
import type { Caller } from './caller.ts';
import type { ProblemDetails } from './problem.ts';
import type { ServedAgent } from './route.ts';

/** Routes for clients of a protocol that others define. That protocol's documents describe the routes, so openapi.json does not. */
export interface Protocol {
  /** Beginning of the paths of all routes: `/v1`. */
  prefix: string;
  routes: readonly ProtocolRoute[];
  /** The protocol's form of an error. Default: a problem of RFC 9457. */
  errorBody?: ((problem: ProblemDetails) => object) | undefined;
}

export interface ProtocolRoute {
  method: 'get' | 'post' | 'delete';
  /** Path after the prefix, as Hono writes it: `/responses/:id`. */
  path: string;
  /** No token is needed. All other routes have their scopes in the table of routes. */
  isPublic?: true | undefined;
  /** Checks the body itself. Throws the errors of the client, and Refused. */
  handle(request: ProtocolRequest): Promise<Response>;
}

/** A request to a protocol's route, from a caller with the scope of the route. */
export interface ProtocolRequest {
  /** Client that acts in the caller's name. */
  client: AgentClient;
  caller: Caller;
  /** Parameters of the path. */
  params: { readonly [name: string]: string };
  request: Request;
  /** Undefined: all agents may be started. */
  agents: readonly ServedAgent[] | undefined;
  /** Hosts of images that a question may name by URL. Undefined: all of the internet. */
  imageHosts: readonly string[] | undefined;
  /** Address of the gateway for others, with its path. Undefined: as the request has it. */
  publicUrl: string | undefined;
  /** Path under which the gateway is mounted; empty, or as `/api/reloop`. */
  basePath: string;
  /** Reports an error in a stream to the operator of the gateway, if the error is the gateway's own fault. */
  report(error: unknown): void;
}
