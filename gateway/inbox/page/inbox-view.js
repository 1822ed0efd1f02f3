import { createAlikeGroup } from './alike-group.js';
import { createCardList } from './card-list.js';
import { el } from './dom.js';
import { createFilters } from './filters.js';

/** @import { Wait, createWaits } from './waits.js' */

/** Failures that are equal and at least so many are one card. */
const LEAST_ALIKE = 3;

/**
 * The calls that wait, over all runs.
 * @param {ReturnType<typeof createWaits>} waits
 */
export function createInboxView(waits) {
  const title = el('h1', { tabindex: '-1' }, 'Waiting for a person');
  const summary = el('p', { class: 'meta' });
  const empty = el('p', { class: 'empty' });
  const filters = createFilters(update);
  const cards = createCardList({ showsRun: true, onEmpty: () => title.focus() });
  const problems = el('div');
  const alike = el('div', { class: 'cards' });
  /** @type {Map<string, ReturnType<typeof createAlikeGroup>>} */
  const groups = new Map();
  return {
    elements: [title, summary, filters.element, problems, alike, cards.element, empty],
    update,
    stop() {
      cards.stop();
      for (const group of groups.values()) group.stop();
    },
  };

  function update() {
    const all = waits.list();
    const list = filters.of(all);
    const single = showGroups(list);
    cards.show(single);
    const runs = new Set(list.map(({ run }) => run.id)).size;
    const isEmpty = list.length === 0;
    summary.textContent = isEmpty
      ? ''
      : `${count(list.length, 'call')} in ${count(runs, 'run')}${waits.more ? ', and more runs' : ''}. The longest wait comes first.`;
    empty.textContent = !waits.isLoaded
      ? 'Loading…'
      : !isEmpty
        ? ''
        : all.length > 0
          ? 'Nothing that waits fits the filter.'
          : 'Nothing waits. A call that needs a person appears here.';
    problems.replaceChildren(
      ...waits.halted().map(({ id, url, problem, paused = [] }) => {
        const text = problem === undefined ? `Run ${id}: ${paused.join(' ')}` : `Run ${id} waits. ${problem}`;
        const webUi = el('a', { href: url, target: '_blank', rel: 'noreferrer' }, "Temporal's Web UI");
        const isLinked = problem === undefined && url !== undefined;
        return el('p', { class: 'problem' }, text, ...(isLinked ? [' Unpause: ', webUi] : []));
      }),
    );
    document.title = all.length === 0 ? 'Inbox · Reloop' : `(${all.length}) Inbox · Reloop`;
  }

  /**
   * Shows equal failures as one card each. Returns the other waits.
   * @param {Wait[]} list
   */
  function showGroups(list) {
    /** @type {Map<string, Wait[]>} */
    const byFailure = new Map();
    for (const wait of list) {
      const key = failureOf(wait);
      if (key === undefined || cards.isInUse(wait.key)) continue;
      byFailure.set(key, [...(byFailure.get(key) ?? []), wait]);
    }
    for (const [key, some] of byFailure) {
      if (some.length < LEAST_ALIKE && !groups.has(key)) byFailure.delete(key);
    }
    for (const [key, group] of groups) {
      if (byFailure.has(key)) continue;
      group.stop();
      group.element.remove();
      groups.delete(key);
    }
    for (const [key, some] of byFailure) {
      const group = groups.get(key) ?? createAlikeGroup();
      if (!groups.has(key)) alike.append(group.element);
      groups.set(key, group);
      group.show(some);
    }
    const grouped = new Set([...byFailure.values()].flat());
    return list.filter((wait) => !grouped.has(wait));
  }
}

/**
 * The same text for calls of a tool that failed alike.
 * @param {Wait} wait
 */
function failureOf({ call: { reason, tool, error, decisions } }) {
  const isRetried = reason === 'failed' && decisions.some(({ type }) => type === 'retry');
  return isRetried ? JSON.stringify([tool, error?.type, error?.message]) : undefined;
}

/**
 * @param {number} amount
 * @param {string} thing
 */
function count(amount, thing) {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}
