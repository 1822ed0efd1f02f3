import type { Protocol } from '../http/protocol.ts';
import { uiRoutes } from './ui-routes.ts';

/** The AI SDK's UI message stream, for `useChat`: a chat is a session, and an answer is a run. */
export const aiSdkProtocol: Protocol = { prefix: '/ui', routes: uiRoutes };
