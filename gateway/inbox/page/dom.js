/** Elements of the page. Text of models, tools and people becomes text nodes only: nothing here parses markup. */

/** @typedef {Node | string | undefined | false} Child */

/**
 * Makes an element. A property that begins with `on` is a listener; `true` is an empty attribute; `undefined` and `false` are left out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {{ [name: string]: string | boolean | undefined | ((event: Event) => unknown) }} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/**
 * Text with its line breaks. A tall one scrolls, and so can be reached by keyboard.
 * @param {string} text
 * @param {number} mostLines Lines that are seen at once.
 */
export function pre(text, mostLines = 18) {
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, line.length / 40), 0);
  return el('pre', lines > mostLines ? { tabindex: '0' } : {}, text);
}

/**
 * @param {string} label
 * @param {...Child} content
 */
export function labelled(label, ...content) {
  return el('div', { class: 'block' }, el('p', { class: 'label' }, label), ...content);
}

/**
 * Says a sentence to screen readers.
 * @param {string} sentence
 */
export function announce(sentence) {
  const news = document.getElementById('news');
  if (news !== null) news.textContent = sentence;
}

let latest = 0;

/** An id that no other element has. */
export function newId() {
  return `inbox-${++latest}`;
}
