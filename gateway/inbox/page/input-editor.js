import { el, labelled, newId, pre } from './dom.js';
import { diffLines } from './diff.js';
import { isSame, readInput, textOf } from './values.js';

/** @import { Json } from '../../../agent/values/vocabulary.ts' */

const SIGNS = { same: ' ', removed: '-', added: '+', gap: ' ' };
const TAGS = /** @type {const} */ ({ same: 'span', removed: 'del', added: 'ins', gap: 'em' });

/**
 * @param {Json} before
 * @param {Json} after
 */
export function diffBlock(before, after) {
  const lines = diffLines(textOf(before), textOf(after)).map(({ type, text }) =>
    el(TAGS[type], { class: 'line' }, `${SIGNS[type]} ${text}\n`),
  );
  return el('pre', { class: 'diff', tabindex: '0', 'aria-label': 'Changes of the input' }, ...lines);
}

/**
 * The input of a call, which can be edited before the call is approved. `onEdit` is called after each change.
 * @param {Json} input
 * @param {() => void} onEdit
 */
export function createInputEditor(input, onEdit) {
  const id = newId();
  const changes = el('div');
  const problem = el('p', { class: 'problem', id: `${id}-problem`, role: 'alert' });
  const area = el('textarea', {
    id,
    class: 'code',
    spellcheck: 'false',
    'aria-describedby': `${id}-problem`,
    oninput: show,
    onkeydown: (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Escape') close();
    },
  });
  const edit = el('button', { type: 'button', class: 'quiet', onclick: open }, 'Edit input');
  const undo = el('button', { type: 'button', class: 'quiet', onclick: close }, 'Undo the edit');
  const element = el('div', { class: 'block' });
  let isOpen = false;
  draw();

  return {
    element,
    /** Returns undefined for the input as it was. */
    edited() {
      if (!isOpen) return undefined;
      const read = readInput(area.value, input);
      return 'value' in read && isSame(read.value, input) ? undefined : read;
    },
    focus: () => area.focus(),
  };

  function draw() {
    const shown = isOpen
      ? [
          el('div', { class: 'row' }, el('label', { for: id, class: 'label' }, 'Input, edited'), undo),
          area,
          problem,
          changes,
        ]
      : [el('div', { class: 'row' }, el('p', { class: 'label' }, 'Input'), edit), pre(textOf(input))];
    element.replaceChildren(...shown);
  }

  function open() {
    isOpen = true;
    area.value = textOf(input);
    draw();
    show();
    area.focus();
  }

  function close() {
    isOpen = false;
    draw();
    onEdit();
    edit.focus();
  }

  function show() {
    area.rows = Math.min(24, Math.max(3, area.value.split('\n').length + 1));
    const read = readInput(area.value, input);
    problem.textContent = 'problem' in read ? read.problem : '';
    area.setAttribute('aria-invalid', String('problem' in read));
    const isChanged = 'value' in read && !isSame(read.value, input);
    changes.replaceChildren(...(isChanged ? [labelled('Changes', diffBlock(input, read.value))] : []));
    onEdit();
  }
}
