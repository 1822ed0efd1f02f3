import { el, newId } from './dom.js';
import { readOutput } from './values.js';

/** @import { Raise } from '../../../agent/limits/usual-raise.ts' */
/** @import { CallToDecide } from '../../waiting/waiting-run.ts' */
/** @import { PossibleDecision } from '../../../agent/rules/waiting.ts' */
/** @import { createInputEditor } from './input-editor.js' */

/** @typedef {{ type: string, [field: string]: unknown }} Answer */
/** @typedef {{ type: string, does: string, fields: Field[] }} Choice */
/** @typedef {{ name: string, label: string, value?: string, isText?: true, required?: true, read(text: string): unknown }} Field */

/** The usual decision on a wait, which comes first. In doubt none is usual. */
const USUAL = {
  failed: 'retry',
  approval: 'approve',
  answer: 'resolve',
  deferred: 'resolve',
  client_tool: undefined,
  limit: 'extend',
  doubt: undefined,
  repeated: undefined,
};
/** Names of buttons, where the name of the decision is not the usual word. */
const NAMES = {
  resolve: 'Give the result',
  abort: 'Fail the run',
  reconcile: 'Ask the tool',
  cancelCall: 'Cancel the call',
};

/**
 * The word on a button. A question to a person is answered.
 * @param {string} type
 * @param {Pick<CallToDecide, 'reason'>} call
 */
export function decisionName(type, { reason }) {
  if (type === 'resolve' && reason === 'answer') return 'Answer';
  return type in NAMES
    ? NAMES[/** @type {keyof typeof NAMES} */ (type)]
    : type.charAt(0).toUpperCase() + type.slice(1);
}

/** Decisions that end the run. */
const GRAVE = new Set(['abort', 'stop']);

/**
 * Buttons for the decisions on a call. A decision with fields opens a form.
 * @param {CallToDecide} call
 * @param {ReturnType<typeof createInputEditor> | undefined} editor
 * @param {(answer: Answer) => unknown} send
 */
export function createDecisions(call, editor, send) {
  const choices = choicesOf(call);
  const takesInput = new Set(call.decisions.filter(({ takes }) => takes.input).map(({ type }) => type));
  const panel = el('div');
  let isBusy = false;
  const remember = call.decisions.some(({ takes }) => takes.remember) ? rememberChoice(call) : undefined;
  const buttons = choices.map(buttonOf);
  const element = el(
    'div',
    { class: 'decisions' },
    remember?.element,
    el(
      'div',
      { class: 'buttons', role: 'group', 'aria-label': `Decisions on ${call.tool} ${call.call}` },
      ...buttons,
    ),
    panel,
  );

  return {
    element,
    /** True while a form is open. */
    isOpen: () => panel.hasChildNodes(),
    /** Names the buttons after the edit of the input. */
    inputEdited() {
      for (const [index, { type }] of choices.entries()) {
        const button = buttons[index];
        if (button !== undefined) button.textContent = nameOf(type);
      }
    },
    /**
     * Takes no decision for now. The buttons keep the focus.
     * @param {boolean} is
     */
    setBusy(is) {
      isBusy = is;
      for (const button of element.querySelectorAll('button')) button.ariaDisabled = is ? 'true' : null;
    },
  };

  /** @param {string} type */
  function nameOf(type) {
    const name = decisionName(type, call);
    return takesInput.has(/** @type {PossibleDecision['type']} */ (type)) && editor?.edited() !== undefined
      ? `${name} as edited`
      : name;
  }

  /** @param {Choice} choice */
  function buttonOf(choice) {
    const { type, does, fields } = choice;
    const style = type === USUAL[call.reason] ? 'first' : GRAVE.has(type) ? 'grave' : '';
    const button = el('button', { type: 'button', class: style, title: does }, nameOf(type));
    if (fields.length > 0) button.setAttribute('aria-expanded', 'false');
    button.addEventListener('click', () => (fields.length > 0 ? open(choice, button) : decide(type, {})));
    return button;
  }

  /**
   * @param {Choice} choice
   * @param {HTMLButtonElement} button
   */
  function open(choice, button) {
    for (const other of buttons)
      if (other.ariaExpanded !== null) other.ariaExpanded = String(other === button);
    const name = decisionName(choice.type, call);
    const form = formOf(choice, name, (fields) => decide(choice.type, fields), close);
    panel.replaceChildren(form);
    (form.querySelector('textarea') ?? form.querySelector('input'))?.focus();

    function close() {
      panel.replaceChildren();
      button.ariaExpanded = 'false';
      button.focus();
    }
  }

  /**
   * @param {string} type
   * @param {object} fields
   */
  function decide(type, fields) {
    if (isBusy) return;
    const isEdited = takesInput.has(/** @type {PossibleDecision['type']} */ (type)) && editor?.edited();
    if (isEdited && 'problem' in isEdited) return editor?.focus();
    send({
      type,
      ...fields,
      ...(isEdited && { input: isEdited.value }),
      ...(type === 'approve' && remember?.read()),
    });
  }
}

/**
 * @param {CallToDecide} call
 * @returns {Choice[]}
 */
function choicesOf({ decisions, raise, reason }) {
  /** @type {Choice[]} */
  const choices = decisions.map(({ type, does, takes }) => ({ type, does, fields: fieldsOf(takes) }));
  if (raise !== undefined) choices.unshift(extension(raise));
  const isUsual = (/** @type {Choice} */ { type }) => type === USUAL[reason];
  return [...choices.filter(isUsual), ...choices.filter((choice) => !isUsual(choice))];
}

/**
 * @param {Raise} raise
 * @returns {Choice}
 */
function extension({ limit, by }) {
  const isNumber = limit !== 'time';
  /** @type {Field} */
  const amount = {
    name: limit,
    label: RAISES[limit],
    value: by,
    required: true,
    read: (text) => (isNumber ? Number(text) : text),
  };
  return { type: 'extend', does: 'Raise the limit, and continue', fields: [amount] };
}

const RAISES = {
  iterations: 'Further iterations',
  time: 'Further time, such as 10m',
  tokens: 'Further tokens',
  cost: 'Further cost in US dollars',
};

/**
 * @param {PossibleDecision['takes']} takes
 * @returns {Field[]}
 */
function fieldsOf(takes) {
  /** @type {Field[]} */
  const fields = [];
  if (takes.output) {
    const label = 'Result: a text, or JSON for an object or a list';
    fields.push({ name: 'output', label, isText: true, required: true, read: readOutput });
  }
  if (takes.reason) {
    fields.push({
      name: 'reason',
      label: 'Reason (optional)',
      isText: true,
      read: (text) => text || undefined,
    });
  }
  return fields;
}

/**
 * @param {Choice} choice
 * @param {string} name
 * @param {(fields: object) => void} submit
 * @param {() => void} close
 */
function formOf({ type, does, fields }, name, submit, close) {
  const inputs = fields.map(({ isText, label, value = '', required }) => {
    const id = newId();
    const properties = { id, required: required === true };
    const input = isText ? el('textarea', { ...properties, rows: '3' }) : el('input', properties);
    input.value = value;
    return { input, row: [el('label', { for: id, class: 'label' }, label), input] };
  });
  return el(
    'form',
    {
      class: 'panel',
      'aria-label': name,
      onsubmit: (event) => {
        event.preventDefault();
        submit(
          Object.fromEntries(
            fields.map(({ name: field, read }, index) => [field, read(inputs[index]?.input.value ?? '')]),
          ),
        );
      },
      onkeydown: (event) => {
        if (!(event instanceof KeyboardEvent)) return;
        if (event.key === 'Escape') close();
        const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
        if (isSend && event.currentTarget instanceof HTMLFormElement) event.currentTarget.requestSubmit();
      },
    },
    el('p', { class: 'note' }, `${does}.`),
    ...inputs.flatMap(({ row }) => row),
    el(
      'div',
      { class: 'buttons' },
      el('button', { type: 'submit', class: GRAVE.has(type) ? 'grave' : 'first' }, name),
      el('button', { type: 'button', class: 'quiet', onclick: close }, 'Cancel'),
    ),
  );
}

/** @param {CallToDecide} call */
function rememberChoice({ tool }) {
  const id = newId();
  const select = el(
    'select',
    { id },
    el('option', { value: '' }, 'this call only'),
    el('option', { value: 'input' }, 'later calls with the same input too'),
    el('option', { value: 'tool' }, `all later calls of ${tool} too`),
  );
  return {
    element: el('div', { class: 'remember' }, el('label', { for: id }, 'In this run, approve'), select),
    read: () => (select.value === '' ? {} : { remember: select.value }),
  };
}
