import type { Protocol } from '../http/protocol.ts';
import { aguiRoutes } from './agui-routes.ts';

/** AG-UI: a thread is a session. */
export const aguiProtocol: Protocol = { prefix: '/ag-ui', routes: aguiRoutes };
