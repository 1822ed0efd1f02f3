import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type { AgentClient } from '../client/index.ts';
import { fieldOf } from '../agent/values/values.ts';
import { createProbe, temporalAnswers } from './http/temporal-answers.ts';
import { type Caller, demand } from './http/caller.ts';
import { refuseDeepBody } from './http/deep-body.ts';
import { refuseForeignHost, refuseForeignPage } from './http/foreign-page.ts';
import { LOOPBACK_NAMES } from './http/loopback-names.ts';
import { createNamedClients } from './start/named-clients.ts';
import { Refused, isOwnFault, problemResponse } from './http/problem.ts';
import { closedAtEnd, createOpenCount } from './http/open-count.ts';
import { chatProtocol } from './inbox/chat-protocol.ts';
import type { Protocol, ProtocolRoute } from './http/protocol.ts';
import { createRateLimit } from './http/rate-limit.ts';
import type { Route, ServedAgent } from './http/route.ts';
import { type GatewayOptions, addressOf, authenticatorOf } from './gateway-options.ts';
import { protocols } from './protocols.ts';
import { CALLBACK_SENDER, answerDeferred } from './routes/callback.ts';
import { budgetRoutes } from './routes/budget-routes.ts';
import { pageRoutes } from './routes/page-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import * as schemas from './routes/schemas.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { steerRoutes } from './routes/steer-routes.ts';
import { waitingRoutes } from './routes/waiting-routes.ts';
import { ownRun } from './start/own-runs.ts';
import { type RouteName, routeName, scopesOf } from './access/route-table.ts';
import { type WaitingFeed, createWaitingFeed } from './waiting/waiting-feed.ts';

export type { GatewayOptions } from './gateway-options.ts';

export interface Gateway {
  /** Answers a request. Never throws. */
  fetch(request: Request): Promise<Response>;
}

interface Env {
  Variables: { caller: Caller };
}

const REQUESTS_PER_MINUTE = 600;
const OPEN_REQUESTS = 200;
const BODY_BYTES = 8_000_000;

const routes: readonly Route[] = [
  ...runRoutes,
  ...pageRoutes,
  ...waitingRoutes,
  ...steerRoutes,
  ...sessionRoutes,
  ...budgetRoutes,
];
/** The caller of a route that needs no token. */
const NOBODY: Caller = { name: 'nobody', scopes: [] };

/**
 * An HTTP API for runs, sessions and waiting calls. The gateway keeps no state, so any number of instances can serve the same runs. Throws
 * InvalidInput for options that let no caller in.
 */
export function createGateway(client: AgentClient, options: GatewayOptions): Gateway {
  const authenticate = authenticatorOf(options);
  const { agents, basePath = '', origins = [], bodyBytes = BODY_BYTES } = options;
  const { hosts = options.open === true ? LOOPBACK_NAMES : undefined } = options;
  const waitSeconds = createRateLimit(options.requestsPerMinute ?? REQUESTS_PER_MINUTE);
  const openRequests = options.openRequests ?? OPEN_REQUESTS;
  const open = createOpenCount(openRequests);
  const app = new OpenAPIHono<Env>({
    strict: false, // the inbox under a base path has an address with a slash at the end, and one without
    defaultHook(result) {
      if (result.success) return;
      const what = result.target === 'query' ? 'The query' : 'The body';
      throw new Refused(400, 'InvalidInput', sentenceOf(result.error, what));
    },
  }).basePath(basePath);
  const report = (error: unknown) => {
    if (isOwnFault(error)) options.onError?.(error);
  };
  const answerTo = (error: unknown, { req }: Context) =>
    problemResponse(error, protocolOf(req.path.slice(basePath.length))?.errorBody);
  app.onError((error, context) => {
    report(error);
    return answerTo(error, context);
  });
  app.notFound((context) => answerTo(NO_ROUTE, context));
  if (origins.length > 0) app.use(cors({ origin: [...origins], exposeHeaders: ['Location'] }));
  app.use(async (context, next) => {
    await next();
    context.header('x-content-type-options', 'nosniff');
    // An answer is for its caller alone. Pages and streams say so in their own way.
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store');
  });
  app.use(async (context, next) => {
    if (hosts !== undefined) refuseForeignHost(context.req.raw, hosts);
    refuseForeignPage(context.req.raw, origins);
    return next();
  });
  const answersNow = createProbe(() => temporalAnswers(client));
  app.get('/health', async (context) => {
    const answers = await answersNow();
    return context.json({ status: answers ? 'ok' : 'unreachable' }, answers ? 200 : 503);
  });
  const webUi = addressOf('webUi', options.webUi, "of Temporal's Web UI, such as http://127.0.0.1:8233");
  const publicUrl = addressOf(
    'publicUrl',
    options.publicUrl,
    'at which others reach the gateway, such as https://agents.example.com',
  );
  const limit = bodyLimit({
    maxSize: bodyBytes,
    onError: (context) => answerTo(tooLarge(bodyBytes), context),
  });
  const base = {
    clientOf: createNamedClients(client),
    agents,
    basePath,
    report,
    webUi,
    publicUrl,
    imageHosts: options.imageHosts,
    feed: createWaitingFeed(client, { webUi }),
    checks: (name: RouteName) => [scopeOf(name), limit, deepBody],
  };
  const spoken = options.chat === true ? [...protocols, chatProtocol] : protocols;
  const protocolRoutes = spoken.flatMap(routesOf);
  for (const route of protocolRoutes) if (route.isPublic === true) serveProtocol(app, route, base);
  if (options.callbacks !== undefined && options.callbacks !== false) {
    const callbacks = options.callbacks === true ? {} : options.callbacks;
    const callbackClient = base.clientOf({ name: CALLBACK_SENDER, scopes: [] });
    app.post('/deferred/:token', limit, (context) => {
      const seconds = waitSeconds(CALLBACK_SENDER); // senders without a token are one caller
      if (seconds > 0) throw tooMany(seconds);
      return answerDeferred(callbackClient, context.req.raw, callbacks);
    });
  }
  app.use(async (context, next) => {
    const caller = await authenticate(context.req.raw);
    if (caller === undefined || caller === null) throw UNKNOWN;
    const key = `${caller.tenant ?? ''} ${caller.name}`;
    const seconds = waitSeconds(key);
    if (seconds > 0) throw tooMany(seconds);
    context.set('caller', caller);
    const close = open(key);
    if (close === undefined) throw tooManyOpen(openRequests);
    try {
      await next();
    } finally {
      const response = closedAtEnd(context.res, close);
      if (response !== context.res) context.res = response;
    }
  });
  for (const route of routes) serve(app, route, base);
  for (const route of protocolRoutes) if (route.isPublic !== true) serveProtocol(app, route, base);
  app.doc31('/openapi.json', { openapi: '3.1.0', info: { title: 'Reloop', version: '1' } });
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  return { fetch: async (request) => app.fetch(request) };
}

interface Base {
  clientOf: ReturnType<typeof createNamedClients>;
  agents: readonly ServedAgent[] | undefined;
  basePath: string;
  webUi: string | undefined;
  publicUrl: string | undefined;
  imageHosts: readonly string[] | undefined;
  feed: WaitingFeed;
  report(error: unknown): void;
  /** Checks of each request to a route: the scopes first, so that a caller without them learns nothing of its body. */
  checks(name: RouteName): MiddlewareHandler<Env>[];
}

function scopeOf(name: RouteName): MiddlewareHandler<Env> {
  return (context, next) => {
    demand(context.get('caller'), name);
    return next();
  };
}

const deepBody: MiddlewareHandler<Env> = async (context, next) => {
  await refuseDeepBody(context.req.raw);
  return next();
};

function serve(app: OpenAPIHono<Env>, route: Route, { clientOf, basePath, checks, ...base }: Base): void {
  const { method, path, summary, query, body, bodyIsOptional, response, status = 200, handle } = route;
  const name = routeName(route);
  const isOfRun = path.includes('{id}');
  const isOfSession = path.includes('{name}');
  const problems = {
    description: 'A problem',
    content: { 'application/problem+json': { schema: schemas.problem } },
  };
  app.openapi(
    {
      method,
      path,
      summary,
      middleware: checks(name),
      security: [{ bearer: scopesOf(name).flat() }],
      request: {
        ...(isOfRun && { params: schemas.runId }),
        ...(isOfSession && { params: schemas.sessionName }),
        ...(query && { query: query as z.ZodObject }),
        ...(body && {
          body: { content: { 'application/json': { schema: body } }, required: bodyIsOptional !== true },
        }),
      },
      responses: {
        [status]:
          status === 204 ? { description: 'Done' } : { description: summary, content: contentOf(response) },
        default: problems,
      },
    },
    async (context) => {
      const caller = context.get('caller');
      const { id = '', name: session = '' } = context.req.param() as { id?: string; name?: string };
      const named = clientOf(caller);
      const found = await handle({
        client: named,
        caller,
        run: isOfRun ? await ownRun({ client: named, caller }, id) : named.get(id),
        name: session,
        query: query && context.req.valid('query' as never),
        body: body && (context.req.valid('json' as never) ?? {}),
        request: context.req.raw,
        ...base,
      });
      if (found instanceof Response) return found;
      // Routes that create something create a run.
      if (status === 201)
        context.header('location', `${basePath}/runs/${encodeURIComponent(String(fieldOf(found, 'id')))}`);
      return status === 204 ? context.body(null, 204) : context.json(found as object, status);
    },
  );
}

function contentOf(response: Route['response']) {
  if (response === undefined) return { 'text/event-stream': { schema: z.string() } };
  return response === 'text/html'
    ? { 'text/html': { schema: z.string() } }
    : { 'application/json': { schema: response } };
}

function serveProtocol(
  app: OpenAPIHono<Env>,
  { method, path, isPublic, handle }: ProtocolRoute,
  { clientOf, webUi: _webUi, feed: _feed, checks, ...base }: Base,
): void {
  const before = isPublic === true ? [] : checks(routeName({ method, path }));
  app.on(method.toUpperCase(), [path], ...before, async (context) => {
    const caller = isPublic === true ? NOBODY : context.get('caller');
    const params = context.req.param() as { [name: string]: string }; // Hono's type is of the path's text
    const named = clientOf(caller);
    return handle({ client: named, caller, params, request: context.req.raw, ...base });
  });
}

function routesOf({ prefix, routes: own }: Protocol): ProtocolRoute[] {
  return own.map((one) => ({ ...one, path: prefix + one.path }));
}

function protocolOf(path: string): Protocol | undefined {
  return protocols.find(({ prefix }) => path.startsWith(`${prefix}/`));
}

/** The problems of a request that does not fit the schema. */
function sentenceOf(
  { issues }: { issues: readonly { path: readonly PropertyKey[]; message: string }[] },
  what: string,
): string {
  return issues
    .map(({ path, message }) => `${path.length === 0 ? what : path.join('.')}: ${message}`)
    .join('; ');
}

const NO_ROUTE = new Refused(404, 'RouteNotFound', 'GET /openapi.json lists the routes.');
const UNKNOWN = new Refused(401, 'Unauthorized', 'Send a token: Authorization: Bearer TOKEN.', {
  'www-authenticate': 'Bearer',
});

function tooMany(seconds: number): Refused {
  return new Refused(429, 'TooManyRequests', `Ask again in ${seconds} s.`, {
    'retry-after': String(seconds),
  });
}

function tooManyOpen(most: number): Refused {
  const what = `A caller has at most ${most} open requests. Close a stream, or wait for an answer.`;
  return new Refused(429, 'TooManyRequests', what, { 'retry-after': '5' });
}

function tooLarge(bytes: number): Refused {
  return new Refused(413, 'BodyTooLarge', `A body has at most ${bytes} bytes.`);
}
