import { Problem, ask, follow, isRefusal, runPath } from './api.js';
import { createCardList } from './card-list.js';
import { el } from './dom.js';
import { morphChildren } from './morph.js';

/** @import { createWaits } from './waits.js' */

const SHORTEST_PAUSE_MS = 1000;
/** A page that takes long to make is asked for less often. */
const PAUSE_FACTOR = 3;

/**
 * The page of a run, as `reloop export --html` makes it, and the calls of the run that wait. The page follows the run.
 * @param {string} id
 * @param {ReturnType<typeof createWaits>} waits
 * @param {(error: unknown) => void} onError
 */
export function createRunView(id, waits, onError) {
  const stopped = new AbortController();
  const ended = new AbortController();
  const head = el('div', { tabindex: '-1' });
  const page = el('div', { class: 'run-page', onclick: followLink });
  const cards = createCardList({ showsRun: false, onEmpty: () => head.focus() });
  const loading = el('p', { class: 'empty' }, 'Loading…');
  let isStale = true;
  let isLoading = false;
  load().catch(fail);
  follow(runPath(id, 'page/events'), {
    signal: AbortSignal.any([stopped.signal, ended.signal]),
    onOpen: () => undefined,
    onBreak: () => undefined,
    onMessage({ event }) {
      if (event === 'ended') ended.abort();
      isStale = true;
      load().catch(fail);
    },
  }).catch(fail);

  return {
    elements: [
      el('p', { class: 'back' }, el('a', { href: '#/' }, '← All that waits')),
      head,
      cards.element,
      loading,
      page,
    ],
    update() {
      cards.show(waits.list(id));
      document.title = `Run ${id} · Reloop`;
    },
    stop() {
      stopped.abort();
      cards.stop();
    },
  };

  async function load() {
    if (isLoading) return;
    isLoading = true;
    while (isStale && !stopped.signal.aborted) {
      isStale = false;
      const began = Date.now();
      const html = await readPage();
      if (html !== undefined) show(html);
      await new Promise((resolve) =>
        setTimeout(resolve, Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * (Date.now() - began))),
      );
    }
    isLoading = false;
  }

  /** Returns undefined for a page that cannot be read now. */
  async function readPage() {
    try {
      return await (await ask(runPath(id, 'page'))).text();
    } catch (error) {
      if (isRefusal(error)) throw error;
      isStale = true;
      return undefined;
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    if (stopped.signal.aborted) return;
    if (!(error instanceof Problem) || error.status === 401) return onError(error);
    loading.textContent = error.message;
    loading.className = 'problem';
  }

  /** @param {string} html */
  function show(html) {
    // The policy of this page allows no script and no style but its own files, whatever the markup has.
    const made = new DOMParser().parseFromString(html.replace(/<style>[^]*?<\/style>/u, ''), 'text/html');
    const [header, main] = [made.querySelector('body > header'), made.querySelector('body > main')];
    if (header !== null) morphChildren(head, header);
    if (main !== null) morphChildren(page, main);
    loading.textContent = '';
  }

  /**
   * A link to a step: the address of this page names the run, and so cannot name the step.
   * @param {Event} event
   */
  function followLink(event) {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (link === null) return;
    event.preventDefault();
    const step = document.getElementById(decodeURIComponent(link.getAttribute('href')?.slice(1) ?? ''));
    for (let place = step; place !== null; place = place.parentElement) {
      if (place instanceof HTMLDetailsElement) place.open = true;
    }
    step?.scrollIntoView({ block: 'start' });
    step?.querySelector('summary')?.focus();
  }
}
