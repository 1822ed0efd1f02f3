import { createCard } from './call-card.js';
import { el } from './dom.js';

/** @import { Wait } from './waits.js' */

/**
 * Cards of calls that wait. A card stays while a person is writing in it.
 * @param {{ showsRun: boolean, onEmpty(): void }} options `onEmpty`: the last card has gone, and had the focus.
 */
export function createCardList({ showsRun, onEmpty }) {
  const element = el('div', { class: 'cards' });
  /** @type {Map<string, ReturnType<typeof createCard>>} */
  const cards = new Map();
  /** Calls that were decided here; the list of the server follows a moment later. @type {Set<string>} */
  const decided = new Set();

  return {
    element,
    /** @param {Wait[]} waits */
    show(waits) {
      const wanted = waits.filter(({ key }) => !decided.has(key));
      const keys = new Set(wanted.map(({ key }) => key));
      for (const key of decided) if (!waits.some((wait) => wait.key === key)) decided.delete(key);
      for (const [key, card] of cards) {
        if (keys.has(key)) continue;
        if (card.isInUse()) card.showOver();
        else remove(key);
      }
      /** @type {Element | null} */
      let next = null;
      for (const wait of wanted.toReversed()) {
        const known = cards.get(wait.key);
        const card = known ?? add(wait);
        if (known === undefined) element.insertBefore(card.element, next);
        next = card.element;
      }
    },
    /**
     * True while a person is writing in the card of the wait.
     * @param {string} key
     */
    isInUse: (key) => cards.get(key)?.isInUse() === true,
    stop() {
      for (const card of cards.values()) card.stop();
    },
  };

  /** @param {Wait} wait */
  function add(wait) {
    const { key } = wait;
    const card = createCard(wait, {
      showsRun,
      onGone() {
        decided.add(key);
        remove(key);
      },
    });
    cards.set(key, card);
    return card;
  }

  /**
   * The focus passes on to the next card.
   * @param {string} key
   */
  function remove(key) {
    const card = cards.get(key);
    if (card === undefined) return;
    const hadFocus = card.element.contains(document.activeElement);
    const next = card.element.nextElementSibling ?? card.element.previousElementSibling;
    card.stop();
    card.element.remove();
    cards.delete(key);
    if (!hadFocus) return;
    const follower = [...cards.values()].find(({ element: other }) => other === next);
    if (follower === undefined) onEmpty();
    else follower.focus();
  }
}
