import { Problem, ask, runPath } from './api.js';
import { createDecisions, decisionName } from './decisions.js';
import { announce, el, labelled, newId, pre } from './dom.js';
import { createInputEditor, diffBlock } from './input-editor.js';
import { lasted, textOf } from './values.js';

/** @import { Wait } from './waits.js' */
/** @import { Answer } from './decisions.js' */

const REASONS = {
  failed: 'failed',
  approval: 'needs approval',
  doubt: 'in doubt',
  answer: 'needs an answer',
  deferred: 'needs its result',
  client_tool: 'waits for its client',
  repeated: 'made before',
  limit: 'at a limit',
};
const CLOCK_MS = 10_000;
/** Lines of a question that are seen at once. */
const QUESTION_LINES = 6;

/**
 * A call that waits, with a button for each decision. `showsRun`: also the run and its question. `onGone` is called when the run has
 * taken a decision of this card, and when a person closes a card that is over.
 * @param {Wait} wait
 * @param {{ showsRun: boolean, onGone(): void }} options
 */
export function createCard({ run, call }, { showsRun, onGone }) {
  const heading = newId();
  const isModel = isModelCall(call);
  const takesInput = !isModel && call.decisions.some(({ takes }) => takes.input);
  const editor = takesInput ? createInputEditor(call.toolInput, () => decisions.inputEdited()) : undefined;
  const decisions = createDecisions(call, editor, send);
  const result = el('p', { class: 'problem', role: 'alert' });
  const since = el('time', { datetime: new Date(call.since).toISOString() });
  const tick = () => (since.textContent = `waits ${lasted(Date.now() - call.since)}`);
  const clock = setInterval(tick, CLOCK_MS);
  tick();
  const element = el(
    'article',
    { class: 'card call-card', 'aria-labelledby': heading },
    el(
      'h2',
      { id: heading, tabindex: '-1' },
      `${toolName(call)} `,
      el('span', { class: 'number' }, call.call),
      el('span', { class: `badge ${call.reason === 'failed' ? 'bad' : 'wait'}` }, REASONS[call.reason]),
    ),
    el('p', { class: 'meta' }, ...factsOf()),
    showsRun && labelled('Question', el('div', { class: 'prose question' }, pre(run.input, QUESTION_LINES))),
    showsRun && stepsBlock(run.steps ?? []),
    call.error &&
      labelled('Error', el('div', { class: 'error' }, pre(`${call.error.type}: ${call.error.message}`))),
    call.note !== undefined && call.note !== null && labelled('Note of the tool', pre(textOf(call.note))),
    call.proposed !== undefined &&
      labelled(
        'The model wrote another input; a person changed it',
        diffBlock(call.proposed, call.toolInput),
      ),
    editor?.element ??
      (!isModel && call.toolInput !== null && labelled('Input', pre(textOf(call.toolInput)))),
    decisions.element,
    result,
  );
  let isDecided = false;

  return {
    element,
    focus: () => element.querySelector('h2')?.focus(),
    /** True while a person is writing in the card. */
    isInUse: () => !isDecided && (decisions.isOpen() || editor?.edited() !== undefined),
    stop: () => clearInterval(clock),
    /** The call has stopped waiting while a person was writing. */
    showOver() {
      decisions.setBusy(true);
      result.textContent = 'This call no longer waits: somebody else has decided, or the run is over.';
      const close = el('button', { type: 'button', class: 'quiet', onclick: onGone }, 'Close');
      result.after(close);
      this.showOver = () => undefined;
    },
  };

  /** @returns {(Node | string)[]} */
  function factsOf() {
    const page = el('a', { href: `#/runs/${encodeURIComponent(run.id)}` }, run.id);
    const webUi =
      run.url === undefined
        ? undefined
        : el('a', { href: run.url, target: '_blank', rel: 'noreferrer' }, "Temporal's Web UI");
    const asked = run.by === undefined ? [] : [`asked by ${run.by}`];
    const facts = [
      since,
      run.agent,
      ...asked,
      ...(showsRun ? [page] : []),
      ...(showsRun && webUi ? [webUi] : []),
    ];
    return facts.flatMap((fact, index) => (index === 0 ? [fact] : [' · ', fact]));
  }

  /** @param {Answer} answer */
  async function send({ type, ...fields }) {
    result.textContent = '';
    decisions.setBusy(true);
    try {
      if (type === 'extend') await ask(runPath(run.id, 'extend'), { body: fields });
      else
        await ask(runPath(run.id, 'decisions'), { body: { type, call: call.call, wait: call.n, ...fields } });
      isDecided = true;
      announce(`${decisionName(type, call)}: ${toolName(call)} ${call.call} of run ${run.id}. Done.`);
      onGone();
    } catch (error) {
      result.textContent =
        error instanceof Problem
          ? error.message
          : 'The gateway cannot be reached. Send the decision again when the page says Live.';
      decisions.setBusy(false);
    }
  }
}

/**
 * The calls before this one, folded.
 * @param {NonNullable<Wait['run']['steps']>} steps
 */
function stepsBlock(steps) {
  if (steps.length === 0) return undefined;
  return el(
    'details',
    { class: 'block steps' },
    el('summary', { class: 'label' }, `What the agent did before (${steps.length})`),
    ...steps.map(({ call, tool, input, result }) => pre(`${call} ${tool} ${input}\n→ ${result}`, 6)),
  );
}

/** @param {Wait['call']} call */
function toolName(call) {
  return isModelCall(call) ? 'Model call' : call.tool;
}

/**
 * A model call takes no input: `3`, in a sub-agent `3.1/2`. A tool call has a dot in its own part.
 * @param {Wait['call']} call
 */
function isModelCall({ call }) {
  return !(call.split('/').at(-1) ?? '').includes('.');
}
