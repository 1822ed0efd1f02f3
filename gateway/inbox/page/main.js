import { Problem, follow, hasToken, setToken } from './api.js';
import { el } from './dom.js';
import { createInboxView } from './inbox-view.js';
import { createRunView } from './run-view.js';
import { askForToken } from './sign-in.js';
import { createWaits } from './waits.js';

/** @typedef {{ elements: Node[], update(): void, stop(): void }} View */

const main = byId('view');
const state = byId('state');
const signOut = byId('sign-out');
const waits = createWaits();
/** @type {View | undefined} */
let view;

signOut.addEventListener('click', () => {
  setToken(undefined);
  location.reload();
});
window.addEventListener('hashchange', () => {
  if (view === undefined) return;
  show();
  main.focus();
});
start();

function start() {
  signOut.hidden = !hasToken();
  show();
  follow('waiting/events', {
    signal: new AbortController().signal,
    onOpen() {
      waits.connected();
      say('Live', 'good');
    },
    onMessage(message) {
      waits.add(message);
      view?.update();
    },
    onBreak: () => say('Connecting…', 'wait'),
  }).catch(fail);
}

/** Shows the view that the address names. */
function show() {
  view?.stop();
  const run = /^#\/runs\/(.+)$/u.exec(location.hash)?.[1];
  const made =
    run === undefined ? createInboxView(waits) : createRunView(decodeURIComponent(run), waits, fail);
  view = made;
  main.replaceChildren(...made.elements);
  made.update();
}

/** @param {unknown} error */
function fail(error) {
  if (error instanceof Problem && error.status === 401) {
    close();
    signOut.hidden = true;
    return askForToken(main, start);
  }
  close();
  main.replaceChildren(
    el('p', { class: 'problem', role: 'alert' }, error instanceof Error ? error.message : String(error)),
  );
}

function close() {
  view?.stop();
  view = undefined;
  say('', '');
}

/**
 * @param {string} text
 * @param {string} tone
 */
function say(text, tone) {
  state.textContent = text;
  state.className = `state ${tone}`;
}

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}
