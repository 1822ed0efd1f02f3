import { mayUse } from '../http/caller.ts';
import type { Protocol } from '../http/protocol.ts';
import { pageFile } from './page-file.ts';

/** A page for people who talk to agents, over the routes of the AI SDK. Served where the gateway's options say so. */
export const chatProtocol: Protocol = {
  prefix: '/chat',
  routes: [
    pageFile('', 'text/html', 'chat.html'),
    pageFile('/:agent', 'text/html', 'chat.html'),
    {
      method: 'get',
      path: '/:agent/caller',
      handle: async ({ caller }) =>
        Response.json({ name: caller.name, mayDecide: mayUse(caller, 'POST /ui/:agent/chat approvals') }),
    },
  ],
};
