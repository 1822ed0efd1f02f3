import type { z } from '@hono/zod-openapi';
import type { AgentClient, AgentRun } from '../../client/index.ts';
import type { WaitingFeed } from '../waiting/waiting-feed.ts';
import type { Caller } from './caller.ts';

/** An agent that callers may start. */
export interface ServedAgent {
  name: string;
  description?: string | undefined;
  /** Default: `tool-calling`. Front ends show the model's text of these only while it is written. */
  kind?: string | undefined;
  /** Schema of the answer. Front ends show the answer of such an agent only, and not the JSON that its model writes. */
  output?: unknown;
  /** The agent takes tools that its callers carry out. Default: it takes none. */
  clientTools?: boolean | undefined;
  /** Names of its own tools, which those of a caller cannot have. */
  tools?: readonly (string | { name: string })[] | undefined;
}

/** True where the text of the agent's model is meant for a reader. */
export function isPlainAgent(agents: readonly ServedAgent[] | undefined, agent: string): boolean {
  const { kind = PLAIN, output } = agents?.find(({ name }) => name === agent) ?? {};
  return kind === PLAIN && output === undefined;
}

const PLAIN = 'tool-calling';

/** A request as a handler gets it: checked, and from a caller with the scope of the route. */
export interface RouteRequest<Query, Body> {
  /** Client that acts in the caller's name. */
  client: AgentClient;
  caller: Caller;
  /** The run of the path. Only in routes with `{id}`; the caller may see the run. */
  run: AgentRun;
  /** The parameter of the path. */
  name: string;
  query: Query;
  body: Body;
  request: Request;
  /** Undefined: all agents may be started. */
  agents: readonly ServedAgent[] | undefined;
  /** Hosts of images that a question may name by URL. Undefined: all of the internet. */
  imageHosts: readonly string[] | undefined;
  feed: WaitingFeed;
  /** Address of Temporal's Web UI. */
  webUi: string | undefined;
  /** Reports an error in a stream to the operator of the gateway, if the error is the gateway's own fault. */
  report(error: unknown): void;
}

export interface Route<Query extends z.ZodType = z.ZodType, Body extends z.ZodType = z.ZodType> {
  method: 'get' | 'post' | 'delete';
  /** Path as OpenAPI writes it: `/runs/{id}`. The table of routes has its scopes. */
  path: string;
  summary: string;
  query?: Query;
  body?: Body;
  /** An empty body counts as `{}`. */
  bodyIsOptional?: true;
  /** Schema of the response; undefined: a stream of events. */
  response?: z.ZodType | 'text/html';
  /** Status of the response. Default: 200. */
  status?: 200 | 201 | 204;
  /** Returns a response, or its body. Throws the errors of the client. */
  handle(request: RouteRequest<z.output<Query>, z.output<Body>>): Promise<unknown>;
}

/** Infers the types of a route's handler from the schemas. */
export function route<Query extends z.ZodType, Body extends z.ZodType>(
  definition: Route<Query, Body>,
): Route {
  return definition;
}
