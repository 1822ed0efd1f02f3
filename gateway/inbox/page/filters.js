import { el, newId } from './dom.js';

/** @import { Wait } from './waits.js' */

/** @type {{ name: string, all: string, valuesOf(wait: Wait): readonly string[] }[]} */
const FILTERS = [
  { name: 'Agent', all: 'all agents', valuesOf: ({ run }) => [run.agent] },
  {
    name: 'Tool',
    all: 'all tools',
    valuesOf: ({ call }) => [call.tool === 'callModel' ? 'model call' : call.tool],
  },
  { name: 'Tag', all: 'all tags', valuesOf: ({ run }) => run.tags ?? [] },
];

/**
 * Lists to choose the waits of one agent, tool or tag. Each is there only where there is something to choose.
 * @param {() => void} onChange
 */
export function createFilters(onChange) {
  const fields = FILTERS.map((filter) => {
    const id = newId();
    const select = el('select', { id, onchange: onChange });
    const element = el('div', {}, el('label', { for: id }, filter.name), ' ', select);
    return { ...filter, select, element };
  });
  return {
    element: el('div', { class: 'remember filters' }, ...fields.map(({ element }) => element)),
    /**
     * The waits that fit.
     * @param {Wait[]} waits
     */
    of(waits) {
      for (const { select, element, all, valuesOf } of fields) {
        const chosen = select.value;
        const values = [...new Set([...waits.flatMap(valuesOf), chosen])]
          .filter((value) => value !== '')
          .sort();
        const isSame =
          JSON.stringify([...select.options].slice(1).map(({ value }) => value)) === JSON.stringify(values);
        if (!isSame || select.options.length === 0) {
          select.replaceChildren(
            el('option', { value: '' }, all),
            ...values.map((value) => el('option', { value }, value)),
          );
          select.value = chosen;
        }
        const isOfAll = (/** @type {string} */ value) =>
          waits.every((wait) => valuesOf(wait).includes(value));
        element.hidden = chosen === '' && values.every(isOfAll);
      }
      return waits.filter((wait) =>
        fields.every(({ select, valuesOf }) => select.value === '' || valuesOf(wait).includes(select.value)),
      );
    },
  };
}
