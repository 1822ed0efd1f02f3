import { readFileSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../agent/values/json-object.ts';
import { stateDirectory } from '../../local/server/project-folder.ts';
import { makeStateDirectory } from '../../local/server/state-folder.ts';
import { type Io, columnsOf } from '../shell/io.ts';
import { type Colors, colorsFor, fit } from '../shell/display.ts';
import { createLiveRegion } from '../print/progress-line.ts';
import type { PromptEvent } from './chat-events.ts';
import { createLineEditor } from './line-editor.ts';

/** The terminal of a chat: lines that stay, below them calls under way, below those the prompt. */
export interface ChatTerminal {
  colors: Colors;
  /** Cells of a line, now. */
  width(): number;
  /** Streams for code that does not know about the prompt: its output goes above the prompt. */
  io: Io;
  write(lines: string[]): void;
  /** Replaces the lines of calls under way. */
  live(lines: LiveLine[]): void;
  prompt(text: string, options?: { remember?: boolean }): void;
  close(): void;
}

/** A line that is rewritten in place, cut to the terminal's width. */
export interface LiveLine {
  text: string;
  dim: boolean;
}

export function openChatTerminal(io: Io, onTyped: (event: PromptEvent) => void): ChatTerminal {
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
  /** The lines of calls under way are above the prompt. */
  let drawn = true;
  const colors = colorsFor(stderr, io.env);
  const width = () => columnsOf(stderr);
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

  /** Lines that wrapped, or scrolled out of the window, could not be removed. */
  function fitting(): string[] {
    const most = Math.max(1, (stderr.rows ?? 24) - 4);
    return underWay.slice(-most).map(({ text, dim }) => {
      const line = fit(text, width() - 1);
      return dim ? colors.dim(line) : line;
    });
  }
}

const HISTORY_LENGTH = 500;

/**
 * Texts that were typed in chats of this project, latest first. A file in the state folder that only its user can read. If it cannot be
 * read or written there is no history.
 */
export function openChatHistory(folder = stateDirectory()) {
  const file = join(folder, 'chat-history.jsonl');
  const kept = readHistory(file);
  let writing = makeStateDirectory(folder)
    .then(() =>
      kept.length > HISTORY_LENGTH
        ? writeFile(file, historyLines(kept.slice(-HISTORY_LENGTH)), { mode: 0o600 })
        : undefined,
    )
    .catch(() => undefined);
  return {
    entries: kept.slice(-HISTORY_LENGTH).toReversed(),
    add(text: string): void {
      writing = writing
        .then(() => appendFile(file, historyLines([text]), { mode: 0o600 }))
        .catch(() => undefined);
    },
  };
}

/** Reads one JSON text a line, oldest first; leaves out damaged lines. */
function readHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(textInLine);
  } catch {
    return [];
  }
}

function textInLine(line: string): string[] {
  const text = parseJson(line);
  return typeof text === 'string' ? [text] : [];
}

function historyLines(texts: string[]): string {
  return texts.map((text) => `${JSON.stringify(text)}\n`).join('');
}
