import type { Protocol } from '../http/protocol.ts';
import { chatRoutes } from './chat-routes.ts';
import { errorBody } from './error-body.ts';
import { responseRoutes } from './response-routes.ts';

/** OpenAI's API, for its clients: an agent is a model, and a response is a run. */
export const openaiProtocol: Protocol = {
  prefix: '/v1',
  routes: [...chatRoutes, ...responseRoutes],
  errorBody,
};
