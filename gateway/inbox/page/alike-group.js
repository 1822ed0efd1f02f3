import { ask, runPath } from './api.js';
import { createCardList } from './card-list.js';
import { announce, el, labelled, pre } from './dom.js';

/** @import { Wait } from './waits.js' */

/** Decisions that are sent at the same time. */
const AT_ONCE = 4;

/** One card for calls that failed alike: all of them are retried with one click, or each in its own card below. */
export function createAlikeGroup() {
  const heading = el('h2', {});
  const error = el('div', {});
  const result = el('p', { class: 'problem', role: 'alert' });
  const retry = el('button', { type: 'button', class: 'first', onclick: retryAll });
  const cards = createCardList({ showsRun: true, onEmpty: () => undefined });
  const folded = el(
    'details',
    { class: 'block' },
    el('summary', { class: 'label' }, 'Each of them'),
    cards.element,
  );
  /** @type {Wait[]} */
  let waits = [];
  let isBusy = false;

  return {
    element: el(
      'article',
      { class: 'card call-card' },
      heading,
      error,
      el('div', { class: 'decisions' }, el('div', { class: 'buttons' }, retry)),
      result,
      folded,
    ),
    /** @param {Wait[]} now */
    show(now) {
      waits = now;
      const call = now[0]?.call;
      if (call === undefined) return;
      const what = call.tool === 'callModel' ? 'Model calls' : `Calls of ${call.tool}`;
      heading.textContent = `${what} that failed alike: ${now.length}`;
      const text = call.error === undefined ? '' : `${call.error.type}: ${call.error.message}`;
      if (error.textContent !== `Error${text}`)
        error.replaceChildren(labelled('Error', el('div', { class: 'error' }, pre(text))));
      if (!isBusy) retry.textContent = `Retry all ${now.length}`;
      cards.show(now);
    },
    stop: () => cards.stop(),
  };

  async function retryAll() {
    if (isBusy) return;
    isBusy = true;
    retry.ariaDisabled = 'true';
    const left = [...waits];
    const all = left.length;
    let failed = 0;
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    isBusy = false;
    retry.ariaDisabled = null;
    announce(`${all - failed} of ${all} calls are retried.`);
    result.textContent =
      failed === 0 ? '' : `${failed} of ${all} could not be retried. Look at each of them.`;

    async function work() {
      for (let wait = left.shift(); wait !== undefined; wait = left.shift()) {
        const { run, call } = wait;
        const body = { type: 'retry', call: call.call, wait: call.n };
        await ask(runPath(run.id, 'decisions'), { body }).catch(() => failed++);
        retry.textContent = `Retrying: ${left.length} left`;
      }
    }
  }
}
