import { pageStyle } from '../../features/render/page/whole-page.ts';
import type { Protocol } from '../http/protocol.ts';
import { pageFile } from './page-file.ts';

/** The modules of the inbox and of the chat page; `main.js` and `chat.js` import the others. */
const MODULES = [
  'alike-group.js',
  'api.js',
  'call-card.js',
  'card-list.js',
  'chat-conversation.js',
  'chat-message.js',
  'chat-view.js',
  'chat.js',
  'decisions.js',
  'diff.js',
  'dom.js',
  'filters.js',
  'inbox-view.js',
  'input-editor.js',
  'main.js',
  'morph.js',
  'run-view.js',
  'sign-in.js',
  'values.js',
  'waits.js',
];

const STYLES = ['inbox.css', 'chat.css'];

/** The inbox: a page for the people who decide on waiting calls. Its files are for everybody; all data comes from the other routes. */
export const inboxProtocol: Protocol = {
  prefix: '',
  routes: [
    pageFile('/', 'text/html', 'index.html'),
    pageFile('/inbox/run.css', 'text/css', pageStyle),
    ...STYLES.map((name) => pageFile(`/inbox/${name}`, 'text/css', name)),
    ...MODULES.map((name) => pageFile(`/inbox/${name}`, 'text/javascript', name)),
  ],
};
