import { createCardList } from './card-list.js';
import { el } from './dom.js';

/** @import { createWaits } from './waits.js' */

/**
 * The calls that wait, over all runs.
 * @param {ReturnType<typeof createWaits>} waits
 */
export function createInboxView(waits) {
  const title = el('h1', { tabindex: '-1' }, 'Waiting for a person');
  const summary = el('p', { class: 'meta' });
  const empty = el('p', { class: 'empty' });
  const cards = createCardList({ showsRun: true, onEmpty: () => title.focus() });
  const problems = el('div');
  return {
    elements: [title, summary, problems, cards.element, empty],
    update() {
      const list = waits.list();
      cards.show(list);
      const runs = new Set(list.map(({ run }) => run.id)).size;
      const isEmpty = list.length === 0;
      summary.textContent = isEmpty
        ? ''
        : `${count(list.length, 'call')} in ${count(runs, 'run')}${waits.more ? ', and more runs' : ''}. The longest wait comes first.`;
      empty.textContent = !waits.isLoaded
        ? 'Loading…'
        : isEmpty
          ? 'Nothing waits. A call that needs a person appears here.'
          : '';
      problems.replaceChildren(
        ...waits
          .unreadable()
          .map(({ id, problem = '' }) => el('p', { class: 'problem' }, `Run ${id} waits. ${problem}`)),
      );
      document.title = isEmpty ? 'Inbox · Reloop' : `(${list.length}) Inbox · Reloop`;
    },
    stop: () => cards.stop(),
  };
}

/**
 * @param {number} amount
 * @param {string} thing
 */
function count(amount, thing) {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}
