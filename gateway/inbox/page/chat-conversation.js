import { Problem, ask, isRefusal, messagesOf, runPath } from './api.js';
import { withChunk } from './chat-message.js';
import { messageElement } from './chat-view.js';
import { announce, el, newId } from './dom.js';

/** @import { ChatMessage } from './chat-message.js' */
/** @import { UiChunk } from '../../ai-sdk/ui-types.ts' */

const SHORTEST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** Somebody else may decide on what this page asks. */
const LOOK_MS = 3000;
/** Messages that this browser keeps. */
const MOST_KEPT = 100;

/**
 * A conversation with an agent. The gateway has it as a session, and this browser keeps what it shows of it. `onError`: the caller is unknown.
 * @param {string} agent
 * @param {{ mayDecide: boolean, onError(error: unknown): void }} options
 */
export function createConversation(agent, { mayDecide, onError }) {
  const path = `ui/${encodeURIComponent(agent)}/chat`;
  const store = `reloop-chat ${new URL('..', import.meta.url).pathname} ${agent}`;
  const kept = stored();
  const { id } = kept;
  let { messages, unsent } = kept;
  let isAnswering = false;
  const list = el('div', { class: 'messages' });
  const problem = el('p', { class: 'problem', role: 'alert' });
  const input = el('textarea', {
    id: newId(),
    rows: '1',
    placeholder: 'Ask something',
    'aria-label': `Message to ${agent}`,
    onkeydown: (event) => {
      if (!(event instanceof KeyboardEvent) || event.key !== 'Enter' || event.shiftKey || event.isComposing)
        return;
      event.preventDefault();
      send();
    },
  });
  const sendButton = el('button', { type: 'submit', class: 'first' }, 'Send');
  const stopButton = el('button', { type: 'button', onclick: stop, hidden: true }, 'Stop');
  const form = el(
    'form',
    {
      class: 'composer',
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    input,
    sendButton,
    stopButton,
  );
  const fresh = el('button', { type: 'button', class: 'quiet', onclick: forget }, 'New conversation');
  const head = el('div', { class: 'row' }, el('h1', {}, agent), fresh);

  return {
    elements: [head, list, problem, form],
    begin() {
      draw();
      input.focus();
      if (messages.length > 0) void follow();
    },
  };

  function send() {
    const text = input.value.trim();
    if (text === '') return;
    input.value = '';
    const message = /** @type {ChatMessage} */ ({
      id: randomId(),
      role: 'user',
      parts: [{ type: 'text', id: '0', text }],
    });
    unsent = [...unsent, message];
    if (isAnswering) draw();
    else void sendNext();
  }

  /** Sends the earliest message that waits for the end of an answer. */
  async function sendNext() {
    const [message, ...later] = unsent;
    if (message === undefined) return;
    messages = [...messages, message];
    unsent = later;
    await follow(message);
  }

  /**
   * Reads the answer until its end, over all connections. `question`: what is asked; without it the latest answer is read from its start.
   * @param {ChatMessage} [question]
   */
  async function follow(question) {
    if (isAnswering) return;
    isAnswering = true;
    problem.textContent = '';
    draw();
    let delay = SHORTEST_RETRY_MS;
    for (;;) {
      try {
        const sent = question === undefined ? undefined : { id, messages: [asSent(question)] };
        if (await read(sent)) break;
        delay = SHORTEST_RETRY_MS;
      } catch (error) {
        if (error instanceof Problem && error.status === 401) return onError(error);
        if (isRefusal(error)) {
          problem.textContent = error instanceof Error ? error.message : String(error);
          break;
        }
        problem.textContent = 'The connection is broken. Trying again…';
      }
      await new Promise((resolve) => setTimeout(resolve, delay));
      delay = Math.min(2 * delay, LONGEST_RETRY_MS);
    }
    isAnswering = false;
    draw();
    const last = messages.at(-1);
    if (last?.isOver) {
      announce('The answer is complete.');
      await sendNext();
    } else if (last?.parts.some((part) => part.type === 'tool' && part.state === 'approval'))
      setTimeout(look, LOOK_MS);
  }

  /**
   * Reads one stream. Resolves with true at its end, with false if it broke. The same question again continues the same answer.
   * @param {object | undefined} body
   */
  async function read(body) {
    const signal = new AbortController().signal;
    const target = body === undefined ? `${path}/${encodeURIComponent(id)}/stream` : path;
    /** @type {ChatMessage | undefined} */
    let answer;
    for await (const { data } of messagesOf(target, { signal, body })) {
      const chunk = /** @type {UiChunk} */ (data);
      problem.textContent = '';
      if (chunk.type !== 'start' && answer === undefined) {
        if (chunk.type === 'error') problem.textContent = chunk.errorText;
        return chunk.type === 'error';
      }
      answer = withChunk(answer ?? { id: '', role: 'assistant', parts: [] }, chunk);
      // An answer that is read again grows back: until then the page shows it as it was.
      const known = messages.find((one) => one.id === answer?.id);
      if (
        known === undefined ||
        chunk.type === 'finish' ||
        chunk.type === 'error' ||
        sizeOf(answer) >= sizeOf(known)
      ) {
        put(answer);
      }
      if (chunk.type === 'finish' || chunk.type === 'error') return true;
    }
    return answer === undefined && body === undefined; // there is nothing to resume
  }

  /** @param {ChatMessage} answer */
  function put(answer) {
    const at = messages.findIndex((message) => message.id === answer.id);
    messages = at < 0 ? [...messages, answer] : messages.with(at, answer);
    draw();
  }

  /** Looks whether somebody else has decided. */
  function look() {
    if (
      isAnswering ||
      !messages.at(-1)?.parts.some((part) => part.type === 'tool' && part.state === 'approval')
    )
      return;
    if (document.hidden) setTimeout(look, LOOK_MS);
    else void follow();
  }

  /**
   * @param {{ run: string, call: string, n: number }} wait
   * @param {{ type: string, [field: string]: unknown }} decision
   */
  async function decide({ run, call, n }, decision) {
    try {
      await ask(runPath(run, 'decisions'), { body: { call, wait: n, ...decision } });
      announce(`${decision.type}: done.`);
      await follow();
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  async function stop() {
    const run = messages.at(-1);
    if (run?.role !== 'assistant') return;
    try {
      await ask(runPath(run.id, 'cancel'), { body: {} });
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  function forget() {
    localStorage.removeItem(store);
    location.reload();
  }

  function draw() {
    localStorage.setItem(store, JSON.stringify({ id, messages: messages.slice(-MOST_KEPT), unsent }));
    const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 80;
    const last = messages.at(-1);
    list.replaceChildren(
      ...messages.map((message) => messageElement(message, { decide, isLast: message === last })),
    );
    const isSilent = isAnswering && last?.role === 'user';
    if (isSilent) list.append(el('p', { class: 'meta' }, 'Waiting for an answer…'));
    list.append(
      ...unsent.map((message) =>
        messageElement({ ...message, note: 'Sent after this answer.' }, { decide, isLast: false }),
      ),
    );
    stopButton.hidden = !(isAnswering && mayDecide && last?.role === 'assistant');
    sendButton.hidden = !stopButton.hidden;
    if (isAtEnd) scrollTo(0, document.documentElement.scrollHeight);
  }

  /** @returns {{ id: string, messages: ChatMessage[], unsent: ChatMessage[] }} `unsent`: typed while an answer was read */
  function stored() {
    const text = localStorage.getItem(store);
    if (text === null) return { id: randomId(), messages: [], unsent: [] };
    return /** @type {ReturnType<typeof stored>} */ (JSON.parse(text)); // written by `draw`
  }
}

/** @param {ChatMessage} message */
function asSent({ id, role, parts }) {
  return {
    id,
    role,
    parts: parts.flatMap((part) => ('text' in part ? [{ type: 'text', text: part.text }] : [])),
  };
}

/** @param {ChatMessage} message */
function sizeOf({ parts }) {
  return parts.reduce((sum, part) => sum + ('text' in part ? part.text.length : 1), parts.length);
}

/** A page that is not on https has no crypto.randomUUID. */
function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
