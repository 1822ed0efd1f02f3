import type { Io } from '../io.ts';
import { type Colors, colorsFor, fit } from '../print/display.ts';
import { createLiveRegion } from '../print/live-region.ts';
import { openChatHistory } from './chat-history.ts';
import type { Typed } from './happening.ts';
import { createLineEditor } from './line-editor.ts';

/** The terminal of a chat: what stays, below it what is under way, below that the prompt. */
export interface ChatTerminal {
  colors: Colors;
  /** Cells of a line, now. */
  width(): number;
  /** The world for whoever prints as if there was no prompt: what is written goes above it. */
  io: Io;
  write(lines: string[]): void;
  /** What is under way, in place of what was. */
  live(lines: LiveLine[]): void;
  prompt(text: string, options?: { remember?: boolean }): void;
  close(): void;
}

/** A line that is rewritten in place, cut to the terminal's width. */
export interface LiveLine {
  text: string;
  dim: boolean;
}

export function openChatTerminal(io: Io, onTyped: (typed: Typed) => void): ChatTerminal {
  const { stdin, stdout, stderr } = io;
  const history = openChatHistory();
  const editor = createLineEditor({
    stdin,
    stderr,
    history: history.entries,
    onTyped,
    onSubmit() {
      editor.above(() => region.clear());
      drawn = false;
    },
    onRemember: history.add,
  });
  const region = createLiveRegion((text) => stderr.write(text));
  let underWay: LiveLine[] = [];
  /** What is under way stands above the prompt. */
  let drawn = true;
  const colors = colorsFor(stderr, io.env);
  const width = () => (stderr.columns === undefined || stderr.columns === 0 ? 80 : stderr.columns);
  const write = (text: string) =>
    editor.above(() => {
      region.clear();
      stderr.write(text.endsWith('\n') ? text : `${text}\n`);
      region.show(fitting());
    });
  const above = {
    write,
    isTTY: true,
    get columns() {
      return stderr.columns;
    },
  };
  return {
    colors,
    width,
    // An answer goes to a file where stdout is one; on the terminal it would run into the prompt.
    io: { ...io, stderr: above, stdout: stdout.isTTY === true ? above : stdout },
    write(lines) {
      if (lines.length > 0) write(lines.map((line) => `${line.trimEnd()}\n`).join(''));
    },
    live(lines) {
      if (lines.length === 0 && underWay.length === 0) return;
      underWay = lines;
      editor.above(() => region.show(fitting()));
    },
    prompt(text, { remember = false } = {}) {
      if (!drawn) editor.above(() => region.show(fitting()));
      drawn = true;
      editor.remember(remember);
      editor.prompt(text);
    },
    close() {
      underWay = [];
      editor.above(() => region.clear());
      editor.close();
    },
  };

  /** What would wrap, or scroll out of the window, could not be taken back. */
  function fitting(): string[] {
    const most = Math.max(1, (stderr.rows ?? 24) - 4);
    return underWay.slice(-most).map(({ text, dim }) => {
      const line = fit(text, width() - 1);
      return dim ? colors.dim(line) : line;
    });
  }
}
