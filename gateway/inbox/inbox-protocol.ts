import { readFileSync } from 'node:fs';
import { pageStyle } from '../../render/page/run-page.ts';
import { pageHeaders } from '../http/page-response.ts';
import type { Protocol, ProtocolRoute } from '../http/protocol.ts';

/** Scripts and styles from the gateway only. */
const SOURCES = "script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:";

/** The modules of the page; `main.js` imports the others. */
const MODULES = [
  'api.js',
  'call-card.js',
  'card-list.js',
  'decisions.js',
  'diff.js',
  'dom.js',
  'inbox-view.js',
  'input-editor.js',
  'main.js',
  'morph.js',
  'run-view.js',
  'values.js',
  'waits.js',
];

/** The inbox: a page for the people who decide on waiting calls. Its files are for everybody; all data comes from the other routes. */
export const inboxProtocol: Protocol = {
  prefix: '',
  routes: [
    file('/', 'text/html', ({ basePath }) =>
      ownFile('index.html').replaceAll('="/inbox/', `="${basePath}/inbox/`),
    ),
    file('/inbox/run.css', 'text/css', pageStyle),
    file('/inbox/inbox.css', 'text/css', () => ownFile('inbox.css')),
    ...MODULES.map((name) => file(`/inbox/${name}`, 'text/javascript', () => ownFile(name))),
  ],
};

function file(path: string, type: string, read: (gateway: { basePath: string }) => string): ProtocolRoute {
  const headers = pageHeaders(type, SOURCES);
  return {
    method: 'get',
    path,
    handle: async ({ basePath }) => new Response(read({ basePath }), { headers }),
  };
}

function ownFile(name: string): string {
  return readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
}
