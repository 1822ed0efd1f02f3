import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import { type Input, type Output, columnsOf } from '../shell/io.ts';
import type { PromptEvent } from './chat-events.ts';

interface LineEditorOptions {
  stdin: Input;
  stderr: Output;
  /** Latest first. */
  history: string[];
  onTyped(event: PromptEvent): void;
  /** The line is about to stay on the terminal as it is: what else is below the scroll has to go. */
  onSubmit(): void;
  /** A text for the history. */
  onRemember(text: string): void;
}

interface Key {
  name?: string | undefined;
  sequence?: string | undefined;
}

const CTRL_C = '\u{3}';
const MORE = '… ';
const PASTE = { on: '\u{1b}[?2004h', off: '\u{1b}[?2004l' };
const HISTORY_LENGTH = 500;

/**
 * A prompt that stays at the bottom while lines are written above it. Node's readline: arrows, Ctrl-A, Ctrl-E, history.
 * Besides, a text of several lines: a `\` at the end of a line continues in the next one, and so do line breaks in pasted
 * text.
 */
export function createLineEditor(options: LineEditorOptions) {
  const { stdin, stderr, onTyped } = options;
  const output = streamTo(stderr);
  const rl = createInterface({
    input: stdin,
    output,
    terminal: true,
    history: options.history,
    historySize: HISTORY_LENGTH,
    removeHistoryDuplicates: true,
  });
  let prompt = '';
  /** The prompt is on the terminal. */
  let shown = false;
  let closed = false;
  let pasting = false;
  let keeps = true;
  let earlier: string[] = [];

  const onKey = (_text: unknown, key?: Key) => {
    if (key?.name === 'paste-start') pasting = true;
    if (key?.name === 'paste-end') pasting = false;
    if (key?.name === 'return' || key?.name === 'enter' || key?.sequence === CTRL_C) options.onSubmit();
  };
  let entries: string[] = [];
  // Undo readline's own history entry: the line may be part of a longer input, or an answer that does not belong there.
  const onHistory = (history: string[]) => {
    history.shift();
    entries = history;
  };
  const restore = () => stderr.write(PASTE.off);
  // Ahead of readline, which then moves on to the next row.
  stdin.prependListener('keypress', onKey);
  process.once('exit', restore);
  rl.on('line', onLine);
  rl.on('history', onHistory);
  rl.on('SIGINT', onInterrupt);
  rl.on('SIGCONT', () => {
    stderr.write(PASTE.on);
    show();
  });
  rl.on('close', () => {
    if (!closed) onTyped({ type: 'end' });
    close();
  });
  stderr.write(PASTE.on);

  return {
    /** Shows this prompt, with the text typed so far. */
    prompt(text: string): void {
      if (text === prompt && shown) return;
      prompt = text;
      if (shown) above(() => undefined);
      else show();
    },
    above,
    /** Keeps lines typed from now on in the history, or not. */
    remember: (keep: boolean) => (keeps = keep),
    /** Gives the terminal back as it was. */
    close(): void {
      const wasOpen = !closed;
      close();
      if (wasOpen) rl.close();
    },
  };

  function onLine(line: string): void {
    shown = false;
    if (pasting || line.endsWith('\\')) {
      earlier.push(pasting ? line : line.slice(0, -1));
      return show();
    }
    const text = [...earlier, line].join('\n');
    earlier = [];
    if (keeps && text.trim() !== '') {
      entries.unshift(text);
      options.onRemember(text);
    }
    onTyped({ type: 'line', text });
  }

  /** Drops what has been typed, as in a shell. The chat decides about an empty line. */
  function onInterrupt(): void {
    const empty = rl.line === '' && earlier.length === 0;
    earlier = [];
    rl.write(null, { ctrl: true, name: 'e' });
    // readline draws the emptied line from that many rows up.
    output.write(`^C\r\n${'\n'.repeat(rl.getCursorPos().rows)}`);
    rl.write(null, { ctrl: true, name: 'u' });
    hide();
    shown = false;
    if (empty) onTyped({ type: 'interrupt' });
    else show();
  }

  function show(): void {
    if (closed) return;
    rl.setPrompt(earlier.length > 0 ? MORE : prompt);
    rl.prompt(true);
    shown = true;
  }

  /** Makes room above the prompt for `write`, which has to end its last line. */
  function above(write: () => void): void {
    if (closed || !shown) return write();
    const rows = hide();
    write();
    // readline draws from where it believes the first row of its line to be: that many rows up.
    output.write('\n'.repeat(rows));
    show();
  }

  /** The rows that the cursor was below the first one of the prompt. */
  function hide(): number {
    const { rows } = rl.getCursorPos();
    cursorTo(output, 0);
    moveCursor(output, 0, -rows);
    clearScreenDown(output);
    return rows;
  }

  function close(): void {
    if (closed) return;
    if (shown) hide();
    closed = true;
    stdin.off('keypress', onKey);
    process.off('exit', restore);
    restore();
  }
}

/** readline asks for a stream; it asks its width of it as well. */
function streamTo(target: Output): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      target.write(String(text));
      done();
    },
  });
  Object.defineProperties(stream, {
    isTTY: { value: true },
    columns: { get: () => columnsOf(target) },
  });
  target.on?.('resize', () => stream.emit('resize'));
  return stream;
}
