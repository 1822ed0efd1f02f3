import { decisionName } from './decisions.js';
import { el, pre } from './dom.js';
import { readOutput, textOf } from './values.js';

/** @import { ChatMessage, Part } from './chat-message.js' */
/** @import { WaitingData } from '../../ai-sdk/ui-types.ts' */

/** @typedef {(wait: { run: string, call: string, n: number }, decision: { type: string, [field: string]: unknown }) => unknown} Decide */

const STATES = {
  running: 'runs',
  approval: 'needs approval',
  done: 'done',
  denied: 'not approved',
  failed: 'failed',
};
/** Decisions that need no more than a click. */
const BUTTONS = {
  approve: 'Approve',
  reject: 'Reject',
  retry: 'Retry',
  skip: 'Skip',
  reconcile: 'Ask the tool',
  stop: 'Stop here',
  abort: 'Fail the run',
};

/**
 * @param {ChatMessage} message
 * @param {{ decide: Decide, isLast: boolean }} options
 */
export function messageElement({ role, parts, error, note }, { decide, isLast }) {
  return el(
    'article',
    { class: `message ${role}`, 'aria-label': role === 'user' ? 'You' : 'Agent' },
    ...parts.map((part) => partElement(part, decide, isLast)),
    error !== undefined && el('p', { class: 'problem' }, error),
    note !== undefined && el('p', { class: 'meta' }, note),
  );
}

/**
 * @param {Part} part
 * @param {Decide} decide
 * @param {boolean} isLast
 */
function partElement(part, decide, isLast) {
  switch (part.type) {
    case 'text':
      return el('div', { class: 'said' }, part.text.trim());
    case 'reasoning':
      return el('details', {}, el('summary', { class: 'meta' }, 'Thoughts'), pre(part.text));
    case 'tool':
      return toolElement(part, decide, isLast);
    case 'waiting':
      return waitElement(part.data, decide, isLast);
    case 'worker':
      return el('p', { class: 'meta notice', role: 'status' }, part.data.text);
  }
}

/**
 * @param {Extract<Part, { type: 'tool' }>} part
 * @param {Decide} decide
 * @param {boolean} isLast
 */
function toolElement({ tool, input, state, output, approval }, decide, isLast) {
  const wait = state === 'approval' && isLast ? waitOf(approval) : undefined;
  const badge = state === 'approval' ? 'wait' : state === 'failed' || state === 'denied' ? 'bad' : '';
  return el(
    'details',
    { class: 'tool', open: state === 'approval' },
    el(
      'summary',
      {},
      `${tool} `,
      el('span', { class: `badge ${badge}` }, STATES[/** @type {keyof typeof STATES} */ (state)]),
    ),
    pre(textOf(input)),
    output !== undefined && pre(textOf(output)),
    wait !== undefined && decisionButtons(['approve', 'reject'], (type) => decide(wait, { type })),
  );
}

/**
 * @param {WaitingData} wait
 * @param {Decide} decide
 * @param {boolean} isLast
 */
function waitElement(wait, decide, isLast) {
  const { tool, toolInput, text, error, note, decisions, reason } = wait;
  const asks = ['answer', 'deferred'].includes(reason) && decisions.includes('resolve');
  return el(
    'div',
    { class: 'asks' },
    el('p', {}, el('b', {}, tool === 'callModel' ? 'The model' : tool), ` ${text}`),
    error !== undefined && el('p', { class: 'problem' }, error),
    note !== undefined && note !== null && pre(textOf(note)),
    tool !== 'callModel' && toolInput !== null && pre(textOf(toolInput)),
    isLast &&
      asks &&
      answerForm(decisionName('resolve', wait), (output) => decide(wait, { type: 'resolve', output })),
    isLast && decisionButtons(decisions, (type) => decide(wait, { type })),
    decisions.length === 0 &&
      el('p', { class: 'meta' }, 'Somebody who may decide has been asked. This page continues by itself.'),
  );
}

/**
 * @param {readonly string[]} types
 * @param {(type: string) => unknown} onDecide
 */
function decisionButtons(types, onDecide) {
  const offered = Object.entries(BUTTONS).filter(([type]) => types.includes(type));
  if (offered.length === 0) return undefined;
  const buttons = offered.map(([type, name], index) => {
    const style = type === 'abort' ? 'grave' : index === 0 ? 'first' : '';
    const button = el('button', { type: 'button', class: style, onclick: once }, name);
    return button;

    function once() {
      for (const one of buttons) one.disabled = true;
      onDecide(type);
    }
  });
  return el('div', { class: 'buttons', role: 'group', 'aria-label': 'Decisions' }, ...buttons);
}

/**
 * @param {string} name
 * @param {(output: ReturnType<typeof readOutput>) => unknown} onAnswer
 */
function answerForm(name, onAnswer) {
  const area = el('textarea', { rows: '2', required: true, 'aria-label': name });
  return el(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault();
        onAnswer(readOutput(area.value));
      },
    },
    area,
    el('button', { type: 'submit', class: 'first' }, name),
  );
}

/**
 * The id of an approval is the run, the call and the number of the wait.
 * @param {string} [approval]
 */
function waitOf(approval = '') {
  const [, run, call, n] = /^(.+):([\d./]+):(\d+)$/su.exec(approval) ?? [];
  return run === undefined || call === undefined ? undefined : { run, call, n: Number(n) };
}
