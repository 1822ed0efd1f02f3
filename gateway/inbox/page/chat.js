import { Problem, ask, hasToken, setToken } from './api.js';
import { createConversation } from './chat-conversation.js';
import { el } from './dom.js';
import { askForToken } from './sign-in.js';

/** The chat page: a list of agents, or a conversation with the agent that the address names. */

const view = byId('view');
const signOut = byId('sign-out');
const [, named = ''] = /\/chat\/([^/]+)\/?$/u.exec(location.pathname) ?? [];

signOut.addEventListener('click', () => {
  setToken(undefined);
  location.reload();
});
start();

function start() {
  signOut.hidden = !hasToken();
  (named === '' ? showAgents() : showConversation(decodeURIComponent(named))).catch(fail);
}

async function showAgents() {
  const agents = /** @type {{ name: string, description?: string }[]} */ (await (await ask('agents')).json());
  const [only, ...others] = agents;
  if (only !== undefined && others.length === 0) return showConversation(only.name);
  const links = agents.map(({ name, description }) =>
    el(
      'a',
      { class: 'card agent', href: new URL(`../chat/${encodeURIComponent(name)}`, import.meta.url).href },
      el('b', {}, name),
      description !== undefined && el('span', { class: 'meta' }, description),
    ),
  );
  const none = links.length === 0 && el('p', { class: 'empty' }, 'There is no agent to talk to.');
  view.replaceChildren(el('h1', {}, 'Whom do you want to ask?'), ...links, ...(none ? [none] : []));
}

/** @param {string} agent */
async function showConversation(agent) {
  const response = await ask(`chat/${encodeURIComponent(agent)}/caller`);
  const caller = /** @type {{ mayDecide: boolean }} */ (await response.json());
  document.title = `${agent} · Reloop`;
  const conversation = createConversation(agent, { ...caller, onError: fail });
  view.replaceChildren(...conversation.elements);
  conversation.begin();
}

/** @param {unknown} error */
function fail(error) {
  if (error instanceof Problem && error.status === 401) {
    signOut.hidden = true;
    return askForToken(view, start);
  }
  const text = error instanceof Error ? error.message : String(error);
  view.replaceChildren(el('p', { class: 'problem', role: 'alert' }, text));
}

/** @param {string} id */
function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}
