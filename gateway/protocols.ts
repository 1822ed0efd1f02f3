import { a2aRoutes, wellKnownRoutes } from './a2a/a2a-routes.ts';
import { errorBody as a2aError } from './a2a/protocol-error.ts';
import { aguiRoutes } from './ag-ui/agui-routes.ts';
import { uiRoutes } from './ai-sdk/ui-routes.ts';
import type { Protocol } from './http/protocol.ts';
import { inboxProtocol } from './inbox/inbox-protocol.ts';
import { mcpProtocol } from './mcp/mcp-protocol.ts';
import { chatRoutes } from './openai/chat-routes.ts';
import { errorBody as openaiError } from './openai/error-body.ts';
import { responseRoutes } from './openai/response-routes.ts';

/** Protocols of other programs that a gateway speaks. */
export const protocols: readonly Protocol[] = [
  mcpProtocol,
  // OpenAI's API, for its clients: an agent is a model, and a response is a run.
  { prefix: '/v1', routes: [...chatRoutes, ...responseRoutes], errorBody: openaiError },
  // The AI SDK's UI message stream, for `useChat`: a chat is a session, and an answer is a run.
  { prefix: '/ui', routes: uiRoutes },
  // AG-UI: a thread is a session.
  { prefix: '/ag-ui', routes: aguiRoutes },
  // A2A: a task is a run, and a context is a session.
  { prefix: '/a2a', routes: a2aRoutes, errorBody: a2aError },
  // The path at which clients look for the card of a host.
  { prefix: '/.well-known', routes: wellKnownRoutes },
  inboxProtocol,
];
